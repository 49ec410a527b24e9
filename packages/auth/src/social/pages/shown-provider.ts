import type { Provider } from '../provider.ts'

/** A provider as templates see it. */
export interface ShownProvider {
  readonly id: string
  readonly name: string
  /** First letter, for a mark of our own in place of a logo. */
  readonly initial: string
  /** Which of `TONES` colours the mark has: always the same for one provider. */
  readonly tone: number
  /** How its button begins: `get` where a page asks for something first. */
  readonly method: 'get' | 'post'
}

const TONES = 6

/** Nothing of its app: templates see no secret. */
export const shownProvider = ({ id, name, record }: Pick<Provider, 'id' | 'name' | 'record'>): ShownProvider => ({
  id,
  name,
  ...buildProviderMark(id, name),
  method: record.id === 'openid' ? 'get' : 'post',
})

/** The mark of a provider. */
export const buildProviderMark = (id: string, name: string): Pick<ShownProvider, 'initial' | 'tone'> => ({
  initial: (Array.from(name.trim())[0] ?? '?').toUpperCase(),
  tone: Array.from(id).reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973, 7) % TONES,
})
