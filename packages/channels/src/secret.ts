import { inspect } from 'node:util'

/**
 * Text that must not be shown. Printing, interpolating, serializing or inspecting it yields `mask(text)`; only `reveal`
 * returns the text, for sending it to its owner.
 */
export class Secret {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  /** The text itself. */
  reveal(): string {
    return this.#text
  }

  toString(): string {
    return mask(this.#text)
  }

  toJSON(): string {
    return mask(this.#text)
  }

  static {
    // A computed method name has no explicit type that declarations could be made from.
    Object.defineProperty(this.prototype, inspect.custom, { value: this.prototype.toString })
  }
}

/** Secret keys. The first one seals, and all of them open. */
export type SecretKeys = readonly [Secret, ...Secret[]]

/** Returns the texts of the keys. */
export const revealKeys = ([newest, ...older]: SecretKeys): readonly [string, ...string[]] => [
  newest.reveal(),
  ...older.map((key) => key.reveal()),
]

/** Returns `****` and the last four characters; `****` alone when that would hide four or fewer characters. */
export function mask(text: string): string {
  const characters = Array.from(text)
  return characters.length > 8 ? `****${characters.slice(-4).join('')}` : '****'
}
