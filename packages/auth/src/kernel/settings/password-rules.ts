import { fromJson, isPlainText, isRecord, type Kind, type Reading } from './kind.ts'

/** A rule for new passwords. */
export type PasswordRule =
  | { readonly id: 'minimum_length'; readonly minLength: number }
  /**
   * Rejects passwords with a similarity of `maxSimilarity` (0.1 to 1) or more to one of these attributes of the user.
   */
  | { readonly id: 'user_attribute_similarity'; readonly attributes: readonly string[]; readonly maxSimilarity: number }
  | { readonly id: 'common_password' }
  | { readonly id: 'numeric_password' }

/** The accepted forms of a rule: the rule itself, its ID, or Django's object with a class path. */
export type PasswordRuleInput =
  | PasswordRule
  | PasswordRule['id']
  | { readonly NAME: string; readonly OPTIONS?: Readonly<Record<string, unknown>> }

const ATTRIBUTES: readonly string[] = ['username', 'first_name', 'last_name', 'email']

/** The default rules: at least 8 characters, not similar to the user's attributes, not common, and not only digits. */
export const DEFAULT_PASSWORD_RULES: readonly PasswordRule[] = [
  { id: 'user_attribute_similarity', attributes: ATTRIBUTES, maxSimilarity: 0.7 },
  { id: 'minimum_length', minLength: 8 },
  { id: 'common_password' },
  { id: 'numeric_password' },
]

const CLASSES: Readonly<Record<string, PasswordRule['id']>> = {
  MinimumLengthValidator: 'minimum_length',
  UserAttributeSimilarityValidator: 'user_attribute_similarity',
  CommonPasswordValidator: 'common_password',
  NumericPasswordValidator: 'numeric_password',
}
const IDS: readonly string[] = Object.values(CLASSES)

/** Parses a rule in any accepted form into its ID and options. Renames Django's options. */
function parseRuleEntry(
  entry: unknown,
): { readonly id: string; readonly options: Readonly<Record<string, unknown>> } | null {
  if (typeof entry === 'string') return { id: toRuleId(entry), options: {} }
  if (!isRecord(entry)) return null
  const { id, NAME, OPTIONS = {}, ...rest } = entry
  if (typeof id === 'string') return { id, options: rest }
  if (typeof NAME !== 'string' || !isRecord(OPTIONS) || Object.keys(rest).length > 0) return null
  const names: Readonly<Record<string, string>> = {
    min_length: 'minLength',
    user_attributes: 'attributes',
    max_similarity: 'maxSimilarity',
  }
  const options = Object.entries(OPTIONS).map(([name, value]) => [names[name] ?? name, value] as const)
  return { id: toRuleId(NAME), options: Object.fromEntries(options) }
}

const toRuleId = (name: string): string =>
  Object.entries(CLASSES).find(([last]) => name === last || name.endsWith(`.${last}`))?.[1] ?? name

function readRule(entry: unknown): Reading<PasswordRule> {
  const rule = parseRuleEntry(entry)
  if (!rule || !IDS.includes(rule.id))
    return { problem: `must be a list of ${IDS.join(', ')}, or of the framework's four validators with these names` }
  const { minLength, attributes, maxSimilarity, ...others } = rule.options
  const [other] = Object.keys(others)
  if (other !== undefined) return { problem: `has an option that ${rule.id} does not take: ${other.slice(0, 60)}` }
  if (rule.id === 'minimum_length') return lengthRule(minLength ?? 8)
  if (rule.id === 'user_attribute_similarity') return similarityRule(attributes ?? ATTRIBUTES, maxSimilarity ?? 0.7)
  if (minLength !== undefined || attributes !== undefined || maxSimilarity !== undefined)
    return { problem: `has an option that ${rule.id} does not take` }
  return { value: rule.id === 'common_password' ? { id: 'common_password' } : { id: 'numeric_password' } }
}

const lengthRule = (minLength: unknown): Reading<PasswordRule> =>
  typeof minLength === 'number' && Number.isInteger(minLength) && minLength >= 1 && minLength <= 128
    ? { value: { id: 'minimum_length', minLength } }
    : { problem: 'must have a min_length from 1 to 128' }

function similarityRule(attributes: unknown, maxSimilarity: unknown): Reading<PasswordRule> {
  if (typeof maxSimilarity !== 'number' || !(maxSimilarity >= 0.1 && maxSimilarity <= 1))
    return { problem: 'must have a max_similarity from 0.1 to 1' }
  if (
    !Array.isArray(attributes) ||
    !attributes.every((name: unknown) => typeof name === 'string' && ATTRIBUTES.includes(name))
  )
    return { problem: `must have user_attributes among ${ATTRIBUTES.join(', ')}` }
  const known = ATTRIBUTES.filter((name) => attributes.includes(name))
  return { value: { id: 'user_attribute_similarity', attributes: known, maxSimilarity } }
}

/** Rules for new passwords, each at most once. With an empty list, only ACCOUNT_PASSWORD_MIN_LENGTH applies. */
export const passwordRules: Kind<readonly PasswordRule[], readonly PasswordRuleInput[]> = {
  type: `a list of ${IDS.join(', ')}`,
  example: [{ NAME: 'django.contrib.auth.password_validation.MinimumLengthValidator', OPTIONS: { min_length: 10 } }],
  fromText: (text) =>
    isPlainText(text, 500) && !/[[{]/.test(text) ? text.split(',').flatMap((id) => id.trim() || []) : fromJson(text),
  read(value) {
    if (!Array.isArray(value)) return { problem: `must be a list of ${IDS.join(', ')}` }
    const rules: PasswordRule[] = []
    for (const entry of value as readonly unknown[]) {
      // Array.isArray leaves `any`
      const reading = readRule(entry)
      if ('problem' in reading) return reading
      if (rules.some(({ id }) => id === reading.value.id)) return { problem: `must name ${reading.value.id} once` }
      rules.push(reading.value)
    }
    return { value: rules }
  },
}
