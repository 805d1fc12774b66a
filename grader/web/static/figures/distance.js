// Positions as rotations: every pair of components is a clock hand, and a score compares two sets of hands.
import {dot, fill, filled, label, moving, number, svg} from "./figure.js"

const WIDTH = 8, BASE = 100, FAR = 32, RADIUS = 36

// One for each pair of components.
export const frequencies = (width, base) =>
  Array.from({length: width / 2}, (_, i) => base ** (-2 * i / width))

// The row of a position in the sinusoidal encoding.
export const sinusoids = (position, width, base) =>
  frequencies(width, base).flatMap(each => [Math.sin(position * each), Math.cos(position * each)])

// A vector at a position, as RoPE turns it.
export const rope = (vector, position, base) =>
  frequencies(vector.length, base).flatMap((each, i) => {
    const [a, b] = vector.slice(2 * i, 2 * i + 2), cos = Math.cos(position * each), sin = Math.sin(position * each)
    return [a * cos - b * sin, a * sin + b * cos]
  })

const ONES = Array.from({length: WIDTH}, (_, at) => at % 2 ? 0 : 1)

export const score = (query, key) => dot(rope(ONES, query, BASE), rope(ONES, key, BASE))

function hand(x, y, [cos, sin], kind) {
  const far = [x + RADIUS * cos, y - RADIUS * sin]
  return svg("g", {class: kind},
    svg("path", {class: "line-of", d: `M${x} ${y}L${far[0].toFixed(1)} ${far[1].toFixed(1)}`}),
    svg("circle", {class: "dot", cx: far[0].toFixed(1), cy: far[1].toFixed(1), r: 4}))
}

if (globalThis.document) moving("distance", ({frame, settings, words, tell, say}) => {
  const key = settings.position, query = key + settings.distance
  const [q, k] = [query, key].map(each => rope(ONES, each, BASE)), encoded = sinusoids(key, WIDTH, BASE)
  const dials = frequencies(WIDTH, BASE).flatMap((each, i) => {
    const x = 42 + 85 * i, pair = all => all.slice(2 * i, 2 * i + 2)
    return [
      svg("circle", {class: "grid", cx: x, cy: 70, r: RADIUS}), hand(x, 70, pair(k), "hue1"),
      hand(x, 70, pair(q), "hue0"), label(x, 18, `ω = ${number(each, 3)}`),
      label(x, 134, `sin ${number(encoded[2 * i])}`), label(x, 150, `cos ${number(encoded[2 * i + 1])}`)]
  })
  const across = distance => 38 + distance * 287 / FAR, up = value => 253 - 14 * value
  const curve = Array.from({length: 4 * FAR + 1}, (_, at) =>
    `${at ? "L" : "M"}${across(at / 4).toFixed(1)} ${up(score(at / 4, 0)).toFixed(1)}`).join("")
  const grid = [-4, 0, 4].flatMap(each => [
    svg("path", {class: "grid", d: `M38 ${up(each)}H325`}), label(32, up(each) + 4, number(each, 0), "axis end")])
  const now = score(query, key)
  fill(frame, 340, 350, words.name, [
    ...dials, label(181, 184, words.plot), ...grid, svg("path", {class: "line-of theory", d: curve}),
    svg("circle", {class: "dot hue0", cx: across(settings.distance).toFixed(1), cy: up(now).toFixed(1), r: 5}),
    ...[0, 8, 16, 24, 32].map(each => label(across(each), 326, each)), label(181, 344, words.distance)])
  tell("position", String(key))
  tell("distance", String(settings.distance))
  say(filled(words.said, {query, key, distance: settings.distance, score: number(now, 3)}))
})
