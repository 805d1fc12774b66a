// Products of random queries and keys: the wider the vectors, the more they spread, until a softmax sees one key only.
import {dot, fill, filled, label, moving, normals, number, percent, softmax, svg} from "./figure.js"

const MOST = 512, QUERIES = 64, KEYS = 16, BINS = 41, STEP = 2, WIDE = 7, LOW = 150

export const scores = (queries, keys, divide) =>
  queries.map(q => keys.map(k => dot(q, k) / (divide ? Math.sqrt(q.length) : 1)))

export function variance(values) {
  const mean = values.reduce((a, b) => a + b) / values.length
  return values.reduce((sum, each) => sum + (each - mean) ** 2, 0) / values.length
}

// How many values are in each of `bins` steps around 0; those beyond are in the first and the last.
export function histogram(values, bins, step) {
  const counts = Array(bins).fill(0)
  for (const each of values) counts[Math.min(Math.max(Math.round(each / step) + (bins - 1) / 2, 0), bins - 1)]++
  return counts
}

const vectors = (seed, count) => Array.from({length: count}, (_, at) => normals(seed + at, MOST))

if (globalThis.document) {
  const queries = vectors(100, QUERIES), keys = vectors(200, KEYS)
  moving("variance", ({frame, settings, words, tell, say}) => {
    const width = 2 ** settings.width, cut = all => all.map(each => each.slice(0, width))
    const all = scores(cut(queries), cut(keys), settings.divide), flat = all.flat()
    const counts = histogram(flat, BINS, STEP), most = Math.max(...counts)
    const weights = softmax(all[0]), x = at => 26 + at * WIDE
    const bars = counts.map((each, at) => svg("rect", {
      class: "bar hue0", x: x(at), y: LOW - 120 * each / most, width: WIDE - 1, height: 120 * each / most}))
    const marks = [-40, -20, 0, 20, 40].map(at =>
      label(x(at / STEP + (BINS - 1) / 2 + 0.5), LOW + 18, number(at, 0)))
    const shares = weights.map((each, at) => svg("rect", {
      class: "bar hue1", x: 26 + at * 18, y: 320 - 100 * each, width: 16, height: Math.max(100 * each, 0.5)}))
    fill(frame, 340, 350, words.name, [
      label(170, 18, words.scores), ...bars, svg("path", {class: "grid", d: `M26 ${LOW}H314`}), ...marks,
      label(170, 208, words.weights), ...shares, svg("path", {class: "grid", d: "M26 320H314"}),
      label(170, 340, words.keys)])
    tell("width", String(width))
    say(filled(words.said, {
      variance: number(variance(flat), variance(flat) < 10 ? 2 : 0), largest: percent(Math.max(...weights))}))
  })
}
