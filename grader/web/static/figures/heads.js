// Four heads on one sentence, each of which can be removed: the maps of the others stay as they are.
import {cells, fill, filled, label, moving, normals, number, percent, product, softmax, svg} from "./figure.js"

const HEADS = 4, SHARPNESS = 3.5

// The weights of every head, and the output without the heads that are not kept.
export function multiHead(x, {q, k, v, o}, keep) {
  const width = x[0].length / keep.length
  const [queries, keys, values] = [q, k, v].map(each => product(x, each))
  const merged = x.map(() => []), weights = keep.map((kept, head) => {
    const part = all => all.map(row => row.slice(head * width, (head + 1) * width))
    const turned = part(keys)[0].map((_, column) => part(keys).map(row => row[column]))
    const map = product(part(queries), turned).map(row => softmax(row.map(each => each / Math.sqrt(width))))
    product(map, part(values)).forEach((row, i) => merged[i].push(...row.map(each => kept ? each : 0)))
    return map
  })
  return {weights, output: product(merged, o)}
}

export const norm = matrix => Math.sqrt(matrix.flat().reduce((sum, each) => sum + each * each, 0))

const zeros = size => Array.from({length: size}, () => Array(size).fill(0))

// Position, word and a constant 1; projections that make the heads look for the word before, the same word, and the
// first word; the last head looks for nothing.
function sentence(tokens) {
  const n = tokens.length, size = HEADS * n, x = tokens.map(() => Array(size).fill(0)), q = zeros(size), k = zeros(size)
  tokens.forEach((token, at) => {
    x[at][at] = x[at][n + tokens.indexOf(token)] = x[at][2 * n] = 1
    q[at][Math.max(at - 1, 0)] = k[at][at] = q[n + at][n + at] = k[n + at][n + at] = SHARPNESS
  })
  q[2 * n][2 * n] = k[0][2 * n] = SHARPNESS
  const v = Array.from({length: size}, (_, at) => normals(500 + at, size).map(each => each / Math.sqrt(size)))
  return {x, projections: {q, k, v, o: zeros(size).map((row, at) => row.map((_, j) => Number(at === j)))}}
}

if (globalThis.document) moving("heads", ({frame, settings, words, say}) => {
  const tokens = words.sentence.split(" "), {x, projections} = sentence(tokens)
  const keep = Array.from({length: HEADS}, (_, head) => settings[`head${head + 1}`])
  const whole = multiHead(x, projections, keep.map(() => true)).output
  const {weights, output} = multiHead(x, projections, keep)
  const maps = weights.map((map, head) => svg("g", {
    class: keep[head] ? "map" : "map removed", transform: `translate(${head % 2 * 170} ${head < 2 ? 0 : 184})`},
  label(105, 14, words.heads[head], "axis heading"),
  ...cells({weights: map, rows: tokens, columns: tokens, left: 42, top: 42, wide: 21, high: 21})))
  const lost = (at, from) => norm(from(whole).map((row, i) => row.map((each, j) => each - from(output)[i][j])))
    / norm(from(whole))
  const changes = tokens.map((_, at) => lost(at, all => [all[at]]))
  const bars = changes.flatMap((each, at) => [
    svg("rect", {class: "bar hue1", x: 22 + 52 * at, y: 474 - 60 * each, width: 36, height: Math.max(60 * each, 0.5)}),
    label(40 + 52 * at, 468 - 60 * each, percent(each)), label(40 + 52 * at, 492, tokens[at])])
  fill(frame, 340, 500, words.name, [...maps, label(170, 384, words.change), ...bars])
  const without = keep.flatMap((each, head) => each ? [] : [head + 1])
  say(without.length ? filled(words.said, {
    heads: without.join(words.comma), change: percent(lost(0, all => all)), left: number(HEADS - without.length, 0),
  }) : words.all)
})
