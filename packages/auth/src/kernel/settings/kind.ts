/** The result of reading a value: the checked value, or the problem as the end of a sentence (`must be …`). */
export type Reading<T> = { readonly value: T } | { readonly problem: string }

/** The type of a setting. `T` is the parsed value, `I` the accepted input; each `T` is valid input as well. */
export interface Kind<T, I = T> {
  /** What a value may be, in words that follow "must be": `a whole number from 1 to 100`. */
  readonly type: string
  /** A value that is accepted. */
  readonly example: I
  /** True when `null` means that the setting is not given. */
  readonly nullIsAbsent?: true
  /** Checks and copies; never throws, whatever the value is. */
  readonly read: (value: unknown) => Reading<T>
  /** The value that a string of an environment stands for; the string itself when it stands for nothing else. */
  readonly fromText: (text: string) => unknown
}

const identityText = (text: string): unknown => text

/** A list written as a comma-separated string or as JSON. */
const listFromText = (text: string): unknown =>
  text.trim().startsWith('[')
    ? fromJson(text)
    : text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '')

/** The value of a JSON text; the text itself, which no kind but text accepts, when it is not JSON. */
export function fromJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return value
  } catch (error) {
    if (error instanceof SyntaxError) return text
    throw error
  }
}

/** A kind with the usual sentence for what it refuses: `must be <type>`. */
export function kind<T, I = T>(
  type: string,
  example: I,
  accept: (value: unknown) => T | undefined,
  fromText: (text: string) => unknown = identityText,
): Kind<T, I> {
  const read = (value: unknown): Reading<T> => {
    const accepted = accept(value)
    return accepted === undefined ? { problem: `must be ${type}` } : { value: accepted }
  }
  return { type, example, read, fromText }
}

const WORDS_FOR_TRUE: readonly string[] = ['true', '1', 'on', 'yes']
const WORDS_FOR_FALSE: readonly string[] = ['false', '0', 'off', 'no']

/** `true` for true, 1, on and yes, `false` for their opposites, the text itself for any other. */
export function booleanFromText(text: string): unknown {
  const word = text.trim().toLowerCase()
  if (WORDS_FOR_TRUE.includes(word)) return true
  return WORDS_FOR_FALSE.includes(word) ? false : text
}

/** True or false. */
export const flag: Kind<boolean> = kind<boolean>(
  'true or false',
  true,
  (value) => (typeof value === 'boolean' ? value : undefined),
  booleanFromText,
)

const numberFromText = (text: string): unknown => (/^\s*[+-]?\d{1,15}(\.\d+)?\s*$/.test(text) ? Number(text) : text)

/** A whole number within bounds, both included. */
export const wholeNumber = (min: number, max: number): Kind<number> =>
  kind<number>(
    `a whole number from ${min} to ${max}`,
    min,
    (value) =>
      typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max ? value : undefined,
    numberFromText,
  )

/** Ten years: no period of this package is longer. */
const LONGEST_SECONDS = 315_360_000

/** A period in whole seconds. */
export const seconds = (min: number = 1, max: number = LONGEST_SECONDS): Kind<number> => {
  const base = wholeNumber(min, max)
  const type = `a whole number of seconds from ${min} to ${max}`
  return kind<number>(type, min, (value) => ('value' in base.read(value) ? Number(value) : undefined), numberFromText)
}

/** How often something may be repeated: a number, or true for 2 and false for 0. */
export const times: Kind<number, number | boolean> = kind<number, number | boolean>(
  'true, false, or a whole number from 0 to 100',
  true,
  (value) => {
    if (typeof value === 'boolean') return value ? 2 : 0
    return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 100 ? value : undefined
  },
  (text) => {
    const number = numberFromText(text)
    return typeof number === 'number' ? number : booleanFromText(text)
  },
)

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

/** True for a string without control characters of at most `max` UTF-16 units. */
export const isPlainText = (value: unknown, max: number): value is string =>
  typeof value === 'string' && value.length <= max && value.isWellFormed() && !CONTROL.test(value)

/** One line of text, which may be empty. */
export const textLine = (max: number = 1_000): Kind<string> =>
  kind<string>(`a single line of up to ${max} characters`, 'text', (value) =>
    isPlainText(value, max) ? value : undefined,
  )

/** Text of a form. @param type What it must be, in words that follow "must be". */
export const textLike = (type: string, example: string, pattern: RegExp, max: number = 1_000): Kind<string> =>
  kind<string>(type, example, (value) => (isPlainText(value, max) && pattern.test(value) ? value : undefined))

/** A secret or a PEM block: lines are kept, NUL is refused. */
export const secretText: Kind<string> = kind<string>('text of up to 20000 characters', 'a-secret', (value) =>
  typeof value === 'string' && value.length <= 20_000 && value.isWellFormed() && !value.includes('\u0000')
    ? value
    : undefined,
)

/** A path of this host, an absolute http(s) URL, or the name of a route. */
export const redirect: Kind<string> = textLike(
  'a path, an http(s) URL, or the name of a page',
  '/welcome/',
  /^(\/(?![/\\])\S*|https?:\/\/[^\s/?#\\]+\S*|[A-Za-z_][\w.:-]*)$/,
)

/** One of some words. */
export const choice = <const T extends string>(...words: readonly [T, ...T[]]): Kind<T> =>
  kind<T>(`one of ${words.join(', ')}`, words[0], (value) => words.find((word) => word === value))

/**
 * One of some words, also written as the dotted path of a class.
 * @param classes Last part of the path, compared without upper and lower case -> word.
 */
export function classChoice<T extends string>(classes: Readonly<Record<string, T>>, example: T): Kind<T, string> {
  const words = [...new Set(Object.values(classes))]
  return kind<T, string>(`one of ${words.join(', ')}`, example, (value) => {
    if (typeof value !== 'string') return undefined
    const last = value.slice(value.lastIndexOf('.') + 1).toLowerCase()
    return words.find((word) => word === value) ?? Object.entries(classes).find(([name]) => name === last)?.[1]
  })
}

/** The same kind, and `null`. */
export const nullable = <T, I>(base: Kind<T, I>): Kind<T | null, I | null> => ({
  type: `${base.type}, or null`,
  example: base.example,
  read: (value) => (value === null ? { value } : base.read(value)),
  fromText: (written) => {
    if (/^\s*(null|none)\s*$/i.test(written)) return null
    // Empty is a value of its own where the kind takes it: an empty prefix is not the default prefix.
    return written.trim() === '' && 'problem' in base.read(written) ? null : base.fromText(written)
  },
})

/** The same kind; `null` stands for the default. */
export const orDefault = <T, I>(base: Kind<T, I>): Kind<T, I | null> => ({
  ...base,
  nullIsAbsent: true,
  fromText: (written) => (/^\s*(null|none)\s*$/i.test(written) ? null : base.fromText(written)),
})

/** A list, or a `Set`, of values of one kind; a value that stands twice counts once. */
export const listOf = <T, I>(item: Kind<T, I>, what: string): Kind<readonly T[], readonly I[] | ReadonlySet<I>> => ({
  type: `a list of ${what}`,
  example: [item.example],
  fromText: listFromText,
  read(value) {
    if (!Array.isArray(value) && !(value instanceof Set)) return { problem: `must be a list of ${what}` }
    const values = new Set<T>()
    for (const entry of value as Iterable<unknown>) {
      // checked above: both forms are iterable
      const reading = item.read(entry)
      if ('problem' in reading) return { problem: `must be a list of ${what}: an entry ${reading.problem}` }
      values.add(reading.value)
    }
    return { value: [...values] }
  },
})

/** True for an object that is neither null, nor a list, nor of a class. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** A function. It can only be set in code, because text can't name one. */
export const callable = <F extends (...parameters: never[]) => unknown>(example: F): Kind<F> =>
  kind<F>("a function (set in code; class paths aren't supported)", example, (value) =>
    // No more can be known of a function at run time; the caller's compiler checks the rest.
    typeof value === 'function' ? (value as F) : undefined,
  )

/** How a code that people read and type looks. */
interface CodeFormat {
  /** Digits only, else letters that cannot be confused or make words. */
  readonly numeric: boolean
  /** Shown in groups with dashes between them; dashes count for nothing when it is typed. */
  readonly dashed: boolean
  /** Characters without dashes. */
  readonly length: number
}

const KEYS: readonly string[] = ['numeric', 'dashed', 'length']

/** Default format of codes: eight letters, `WDJB-MJHT`. */
export const DEFAULT_CODE_FORMAT: CodeFormat = { numeric: false, dashed: true, length: 8 }

/** An object of `numeric`, `dashed` and `length`; what is left out is false, true, and 9 for digits or 8 for letters. */
export const codeFormat: Kind<CodeFormat, Partial<CodeFormat>> = kind<CodeFormat, Partial<CodeFormat>>(
  'an object with numeric and dashed (true or false) and length (4 to 32)',
  { numeric: true, dashed: false, length: 6 },
  (value) => {
    if (!isRecord(value) || Object.keys(value).some((key) => !KEYS.includes(key))) return undefined
    const { numeric = false, dashed = true } = value
    const { length = numeric === true ? 9 : 8 } = value
    if (typeof numeric !== 'boolean' || typeof dashed !== 'boolean' || typeof length !== 'number') return undefined
    return Number.isInteger(length) && length >= 4 && length <= 32 ? { numeric, dashed, length } : undefined
  },
  fromJson,
)
