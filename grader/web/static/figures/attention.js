// Attention weights of a short sentence: every score in them can be looked at, and divided or not.
import {cells, choosing, dot, fill, filled, moving, normals, number, percent, softmax} from "./figure.js"

const MOST = 256

// The products q·k, the scores that the softmax takes, and the weights that it returns.
export function attention(queries, keys, {divide = true, temperature = 1, causal = false} = {}) {
  const root = divide ? Math.sqrt(queries[0].length) : 1
  const products = queries.map(q => keys.map(k => dot(q, k)))
  const scores = products.map((row, i) =>
    row.map((each, j) => causal && j > i ? -Infinity : each / (root * temperature)))
  return {products, scores, weights: scores.map(softmax)}
}

// Equal words have equal vectors.
const vectors = (words, seed, width) => words.map(word => normals(seed + words.indexOf(word), MOST).slice(0, width))

if (globalThis.document) moving("attention", ({frame, settings, state, words, tell, say, update}) => {
  const tokens = words.sentence.split(" "), width = 2 ** settings.width, temperature = 2 ** settings.temperature
  const {products, scores, weights} = attention(
    vectors(tokens, 10, width), vectors(tokens, 70, width), {...settings, temperature})
  const [i, j] = state.at ??= [1, 0]
  tell("width", String(width))
  tell("temperature", number(temperature))
  choosing(frame, tokens.length, tokens.length, {at: state.at, choose: at => update({at})})
  fill(frame, 66 + 44 * tokens.length, 30 + 34 * tokens.length, words.name, cells({
    weights, rows: tokens, columns: tokens, at: state.at, hidden: (i, j) => scores[i][j] === -Infinity}))
  say(filled(words.said, {
    query: tokens[i], key: tokens[j], product: number(products[i][j]), score: number(scores[i][j]),
    weight: percent(weights[i][j])}))
})
