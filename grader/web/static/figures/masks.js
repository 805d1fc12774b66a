// Masks to paint: a hidden key gets no weight, and its share goes to the keys that are left.
import {cells, choosing, dot, fill, filled, moving, normals, percent, softmax} from "./figure.js"

const WIDTH = 4, N = 6

// True: this key may be attended to. The last query stands at the last key.
export const causal = (queries, keys) =>
  Array.from({length: queries}, (_, i) => Array.from({length: keys}, (_, j) => j <= i + keys - queries))

export const padding = (length, most) => Array.from({length: most}, (_, j) => j < length)

// The weights of each query; a row without keys has none.
export const masked = (queries, keys, mask) => queries.map((q, i) =>
  softmax(keys.map((k, j) => mask[i][j] ? dot(q, k) / Math.sqrt(q.length) : -Infinity)))

const everything = () => Array.from({length: N}, () => Array(N).fill(true))
const PRESETS = {
  causal: () => causal(N, N),
  padding: () => everything().map(() => padding(4, N)),
  both: () => causal(N, N).map(row => row.map((each, j) => each && padding(4, N)[j])),
  none: everything,
}

if (globalThis.document) {
  const vectors = seed => Array.from({length: N}, (_, at) => normals(seed + at, WIDTH))
  const queries = vectors(300), keys = vectors(400)
  moving("masks", ({frame, state, words, say, update}) => {
    if (state.action || !state.mask) state.mask = PRESETS[state.action || "causal"]()
    state.action = null
    const {mask} = state, [i, j] = state.at ??= [3, 1], tokens = words.sentence.split(" ")
    const weights = masked(queries, keys, mask)
    choosing(frame, N, N, {at: state.at, choose: at => update({at}), act: ([row, column]) => {
      state.mask[row][column] = !state.mask[row][column]
      update()
    }})
    fill(frame, 66 + 44 * N, 30 + 34 * N, words.name, cells({
      weights, rows: tokens, columns: tokens, at: state.at, hidden: (row, column) => !mask[row][column]}))
    const left = mask[i].filter(Boolean).length
    say(filled(left ? mask[i][j] ? words.said : words.hidden : words.empty, {
      query: tokens[i], key: tokens[j], left, all: N, weight: percent(weights[i][j])}))
  })
}
