/** The result of reading a value: the checked value, or the problem as a predicate such as `must be …`. */
export type Reading<T> = { readonly value: T } | { readonly problem: string }

/** The type of a setting. `T` is the parsed value, `I` the accepted input; each `T` is also valid input. */
export interface Kind<T, I = T> {
  /** The accepted values, phrased to follow "must be": `a whole number from 1 to 100`. */
  readonly type: string
  /** An accepted value. */
  readonly example: I
  /** Set if `null` means that the setting isn't given. */
  readonly nullIsAbsent?: true
  /** Checks and copies a value. Never throws. */
  readonly read: (value: unknown) => Reading<T>
  /** Returns the value for a string from the environment; the string itself if it can't be converted. */
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

/** Parses JSON. Returns the text itself if it's invalid, which only kinds of text accept. */
export function fromJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return value
  } catch (error) {
    if (error instanceof SyntaxError) return text
    throw error
  }
}

/** Creates a kind with the usual problem for rejected values: `must be <type>`. */
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

/** Returns `true` for true, 1, on, and yes, `false` for their opposites, and otherwise the text itself. */
export function booleanFromText(text: string): unknown {
  const word = text.trim().toLowerCase()
  if (WORDS_FOR_TRUE.includes(word)) return true
  return WORDS_FOR_FALSE.includes(word) ? false : text
}

/** A boolean. */
export const flag: Kind<boolean> = kind<boolean>(
  'true or false',
  true,
  (value) => (typeof value === 'boolean' ? value : undefined),
  booleanFromText,
)

const numberFromText = (text: string): unknown => (/^\s*[+-]?\d{1,15}(\.\d+)?\s*$/.test(text) ? Number(text) : text)

/** A whole number from `min` to `max`. */
export const wholeNumber = (min: number, max: number): Kind<number> =>
  kind<number>(
    `a whole number from ${min} to ${max}`,
    min,
    (value) =>
      typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max ? value : undefined,
    numberFromText,
  )

/** Ten years, longer than any period in this package. */
const LONGEST_SECONDS = 315_360_000

/** A period in whole seconds. */
export const seconds = (min: number = 1, max: number = LONGEST_SECONDS): Kind<number> => {
  const base = wholeNumber(min, max)
  const type = `a whole number of seconds from ${min} to ${max}`
  return kind<number>(type, min, (value) => ('value' in base.read(value) ? Number(value) : undefined), numberFromText)
}

const SECONDS_PER_DAY = 86_400

/** A period in days, at least one second long, in fractions if it isn't whole. */
export const days = (max: number): Kind<number> =>
  kind<number>(
    `a number of days up to ${max}, for example 0.5`,
    0.5,
    (value) => (typeof value === 'number' && value >= 1 / SECONDS_PER_DAY && value <= max ? value : undefined),
    numberFromText,
  )

/** A number of repetitions; true means 2, and false means 0. */
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

/** Returns whether a value is a string without control characters of at most `max` UTF-16 units. */
export const isPlainText = (value: unknown, max: number): value is string =>
  typeof value === 'string' && value.length <= max && value.isWellFormed() && !CONTROL.test(value)

/** A line of text, which may be empty. */
export const textLine = (max: number = 1_000): Kind<string> =>
  kind<string>(`a single line of up to ${max} characters`, 'text', (value) =>
    isPlainText(value, max) ? value : undefined,
  )

/** Text that matches a pattern. @param type Phrased to follow "must be". */
export const textLike = (type: string, example: string, pattern: RegExp, max: number = 1_000): Kind<string> =>
  kind<string>(type, example, (value) => (isPlainText(value, max) && pattern.test(value) ? value : undefined))

/** A secret or a PEM block. Line breaks are kept; NUL is rejected. */
export const secretText: Kind<string> = kind<string>('text of up to 20000 characters', 'a-secret', (value) =>
  typeof value === 'string' && value.length <= 20_000 && value.isWellFormed() && !value.includes('\u0000')
    ? value
    : undefined,
)

/** A path on this host, an absolute HTTP(S) URL, or a page name. */
export const redirect: Kind<string> = textLike(
  'a path, an http(s) URL, or the name of a page',
  '/welcome/',
  /^(\/(?![/\\])\S*|https?:\/\/[^\s/?#\\]+\S*|[A-Za-z_][\w.:-]*)$/,
)

/** One of several words. */
export const choice = <const T extends string>(...words: readonly [T, ...T[]]): Kind<T> =>
  kind<T>(`one of ${words.join(', ')}`, words[0], (value) => words.find((word) => word === value))

/**
 * One of several words, also written as the dotted path of a class.
 * @param classes The word for each last part of the path, which is compared case-insensitively.
 */
export function classChoice<T extends string>(classes: Readonly<Record<string, T>>, example: T): Kind<T, string> {
  const words = [...new Set(Object.values(classes))]
  return kind<T, string>(`one of ${words.join(', ')}`, example, (value) => {
    if (typeof value !== 'string') return undefined
    const last = value.slice(value.lastIndexOf('.') + 1).toLowerCase()
    return words.find((word) => word === value) ?? Object.entries(classes).find(([name]) => name === last)?.[1]
  })
}

/** The same kind or `null`. */
export const nullable = <T, I>(base: Kind<T, I>): Kind<T | null, I | null> => ({
  type: `${base.type}, or null`,
  example: base.example,
  read: (value) => (value === null ? { value } : base.read(value)),
  fromText: (written) => {
    if (/^\s*(null|none)\s*$/i.test(written)) return null
    // If the kind accepts an empty text, it differs from null: an empty prefix isn't the default prefix.
    return written.trim() === '' && 'problem' in base.read(written) ? null : base.fromText(written)
  },
})

/** The same kind; `null` stands for the default. */
export const orDefault = <T, I>(base: Kind<T, I>): Kind<T, I | null> => ({
  ...base,
  nullIsAbsent: true,
  fromText: (written) => (/^\s*(null|none)\s*$/i.test(written) ? null : base.fromText(written)),
})

/** An array or `Set` of values of one kind. Duplicates are dropped. */
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

/** Returns whether a value is a plain object: not null, an array, or a class instance. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** A function. It can only be set in code, because text can't name one. */
export const callable = <F extends (...parameters: never[]) => unknown>(example: F): Kind<F> =>
  kind<F>("a function (set in code; class paths aren't supported)", example, (value) =>
    // A function's signature can't be checked at run time; the caller's compiler checks it.
    typeof value === 'function' ? (value as F) : undefined,
  )

/** The format of codes that people read and type. */
interface CodeFormat {
  /** Digits only; otherwise letters that aren't easily confused and don't form words. */
  readonly numeric: boolean
  /** Shows the code in groups separated by dashes, which are optional when it's typed. */
  readonly dashed: boolean
  /** Number of characters, without dashes. */
  readonly length: number
}

const KEYS: readonly string[] = ['numeric', 'dashed', 'length']

/** The default format of codes: eight letters, such as `WDJB-MJHT`. */
export const DEFAULT_CODE_FORMAT: CodeFormat = { numeric: false, dashed: true, length: 8 }

/** A `CodeFormat`. The defaults are `numeric: false`, `dashed: true`, and a length of 8 letters or 9 digits. */
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
