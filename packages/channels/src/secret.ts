import { inspect } from 'node:util'

/**
 * A text that must not be shown. Printing, interpolating, serialising or inspecting it yields `mask(text)`; only
 * `reveal` gives the text, and only where it is sent to the one it belongs to.
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

/** `****` and the last four characters; `****` alone when that would leave four or fewer characters hidden. */
export function mask(text: string): string {
  const characters = Array.from(text)
  return characters.length > 8 ? `****${characters.slice(-4).join('')}` : '****'
}
