import { isRecord } from './kind.ts'

/** A name of the reference that stands for code, or for something this package does in its own way. */
export interface Elsewhere {
  readonly name: string
  readonly group: string
  /** What to do instead: a sentence. */
  readonly instead: string
  /** True when the value asks for nothing that this package does not do anyway. */
  readonly harmless: (value: unknown) => boolean
}

/** Class of the reference itself: the default, under either name of the product. */
const isOwnClass = (value: unknown): value is string => typeof value === 'string' && /^(authpkg|allauth)\./.test(value)

const isDefaultAdapter = (value: unknown): boolean =>
  value === null || value === '' || (isOwnClass(value) && /\.Default\w*Adapter$/.test(value))

const areDefaultForms = (value: unknown): boolean =>
  value === null || (isRecord(value) && Object.values(value).every(isOwnClass))

const adapter = (name: string, group: string): Elsewhere => ({
  name,
  group,
  instead: "Class paths aren't supported. Pass the hooks as `adapters` to createAuth.",
  harmless: isDefaultAdapter,
})

const forms = (name: string, group: string): Elsewhere => ({
  name,
  group,
  instead: "Class paths aren't supported. Pass the forms as `forms` to createAuth.",
  harmless: areDefaultForms,
})

const always = (): boolean => true
const absent = (value: unknown): boolean => value === null || value === ''

/** Names that are known and are no settings here. */
export const ELSEWHERE: readonly Elsewhere[] = [
  adapter('ACCOUNT_ADAPTER', 'account'),
  adapter('SOCIALACCOUNT_ADAPTER', 'socialaccount'),
  adapter('MFA_ADAPTER', 'mfa'),
  adapter('HEADLESS_ADAPTER', 'headless'),
  adapter('USERSESSIONS_ADAPTER', 'usersessions'),
  adapter('IDP_OIDC_ADAPTER', 'idpOidc'),
  forms('ACCOUNT_FORMS', 'account'),
  forms('SOCIALACCOUNT_FORMS', 'socialaccount'),
  forms('MFA_FORMS', 'mfa'),
  {
    name: 'ACCOUNT_SIGNUP_FORM_CLASS',
    group: 'account',
    instead: "Class paths aren't supported. Pass the extra fields as `signupForm` to createAuth.",
    harmless: absent,
  },
  {
    name: 'ACCOUNT_PASSWORD_RESET_TOKEN_GENERATOR',
    group: 'account',
    instead: "Reset links always become invalid when the user's password, email address, or last login changes.",
    harmless: (value) => absent(value) || isOwnClass(value),
  },
  {
    name: 'SOCIALACCOUNT_UID_MAX_LENGTH',
    group: 'socialaccount',
    instead: 'The length is always 191.',
    harmless: (value) => value === 191 || value === '191',
  },
  {
    name: 'GATEPOST_SETTING_GETTER',
    group: '',
    instead: 'Settings are read once. Call createAuth for each set of settings.',
    harmless: absent,
  },
  { name: 'SECRET_KEY', group: '', instead: 'Pass it as `secretKey` to createAuth.', harmless: always },
  { name: 'SESSION_ENGINE', group: '', instead: 'Sessions are stored in the database.', harmless: always },
  { name: 'CACHES', group: '', instead: 'Rate limits are stored in the database.', harmless: always },
]
