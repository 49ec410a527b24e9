/**
 * How alike two texts are, from 0 to 1: twice the characters that both have, each as often as both have it, over the sum
 * of their lengths. Order does not count, so that an anagram is as bad.
 */
export function similarity(left: string, right: string): number {
  const [a, b] = [Array.from(left), Array.from(right)]
  if (a.length + b.length === 0) return 1
  const rest = new Map<string, number>()
  for (const character of b) rest.set(character, (rest.get(character) ?? 0) + 1)
  let shared = 0
  for (const character of a) {
    const count = rest.get(character) ?? 0
    if (count > 0) shared += 1
    rest.set(character, count - 1)
  }
  return (2 * shared) / (a.length + b.length)
}

/**
 * Whether a password is like a text about its owner: the text itself, or one of its parts between what is neither letter
 * nor digit. Without regard to case.
 * @param max Ratio from 0 to 1 from which texts are alike.
 */
export function isSimilar(password: string, about: string, max: number): boolean {
  const given = password.toLowerCase()
  const text = about.toLowerCase()
  const parts = [text, ...text.split(/[^\p{L}\p{N}_]+/u)].filter((part) => part !== '')
  return parts.some((part) => similarity(given, part) >= max)
}
