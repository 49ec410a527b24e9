/** What a member of an input is read as. */
interface Kinds {
  /** Trimmed; `required` means not empty. */
  text: string
  /** Text as `text`, in the syntax of an address. */
  email: string
  /** Text that is never trimmed. */
  password: string
  boolean: boolean
  id: number
  ids: readonly number[]
  object: Readonly<Record<string, unknown>>
}
type Kind = keyof Kinds

/** One member of the JSON body of a request; or, with `header`, a header. */
export interface InputField {
  readonly name: string
  readonly kind: Kind
  readonly required: boolean
  /** Characters (code points); default 1,000, of a password 4,096. */
  readonly maxLength?: number
  /** Name of the header that holds it in place of the body. */
  readonly header?: string
  /** For the description of the API. */
  readonly about?: string
}

/** What reading these fields answers: text that is absent and not required is `''`, anything else `undefined`. */
export type InputOf<Fields extends readonly InputField[]> = {
  readonly [F in Fields[number] as F['name']]:
    | Kinds[F['kind']]
    | (F['required'] extends true ? never : F['kind'] extends 'text' | 'email' | 'password' ? '' : undefined)
}
