import { fromJson, isRecord, type Kind, kind } from './kind.ts'

/** How a code that people read and type looks. */
export interface CodeFormat {
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
