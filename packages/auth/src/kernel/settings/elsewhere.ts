import { isRecord } from './kind.ts'

/** A name of the reference that stands for code, or for something this package does in its own way. */
export interface Elsewhere {
  readonly name: string
  readonly group: string
  /** What to do instead: a sentence. */
  readonly instead: string
  /** True when the value asks for nothing that this package does not do anyway. */
  readonly isHarmless: (value: unknown) => boolean
}

/** Class of the reference itself: the default, under either name of the product. */
const isReferenceClass = (value: unknown): value is string =>
  typeof value === 'string' && /^(authpkg|allauth)\./.test(value)

const isDefaultAdapter = (value: unknown): boolean =>
  value === null || value === '' || (isReferenceClass(value) && /\.Default\w*Adapter$/.test(value))

const areDefaultForms = (value: unknown): boolean =>
  value === null || (isRecord(value) && Object.values(value).every(isReferenceClass))

const adapterClassSetting = (name: string, group: string): Elsewhere => ({
  name,
  group,
  instead: "Class paths aren't supported. Pass the hooks as `adapters` to createAuth.",
  isHarmless: isDefaultAdapter,
})

const formClassSetting = (name: string, group: string): Elsewhere => ({
  name,
  group,
  instead: "Class paths aren't supported. Pass the forms as `forms` to createAuth.",
  isHarmless: areDefaultForms,
})

const alwaysTrue = (): boolean => true
const isAbsent = (value: unknown): boolean => value === null || value === ''

/** Names that are known and are no settings here. */
export const ELSEWHERE: readonly Elsewhere[] = [
  adapterClassSetting('ACCOUNT_ADAPTER', 'account'),
  adapterClassSetting('SOCIALACCOUNT_ADAPTER', 'socialaccount'),
  adapterClassSetting('MFA_ADAPTER', 'mfa'),
  adapterClassSetting('HEADLESS_ADAPTER', 'headless'),
  adapterClassSetting('USERSESSIONS_ADAPTER', 'usersessions'),
  adapterClassSetting('IDP_OIDC_ADAPTER', 'idpOidc'),
  formClassSetting('ACCOUNT_FORMS', 'account'),
  formClassSetting('SOCIALACCOUNT_FORMS', 'socialaccount'),
  formClassSetting('MFA_FORMS', 'mfa'),
  {
    name: 'ACCOUNT_SIGNUP_FORM_CLASS',
    group: 'account',
    instead: "Class paths aren't supported. Pass the extra fields as `signupForm` to createAuth.",
    isHarmless: isAbsent,
  },
  {
    name: 'ACCOUNT_PASSWORD_RESET_TOKEN_GENERATOR',
    group: 'account',
    instead: "Reset links always become invalid when the user's password, email address, or last login changes.",
    isHarmless: (value) => isAbsent(value) || isReferenceClass(value),
  },
  {
    name: 'SOCIALACCOUNT_UID_MAX_LENGTH',
    group: 'socialaccount',
    instead: 'The length is always 191.',
    isHarmless: (value) => value === 191 || value === '191',
  },
  {
    name: 'GATEPOST_SETTING_GETTER',
    group: '',
    instead: 'Settings are read once. Call createAuth for each set of settings.',
    isHarmless: isAbsent,
  },
  { name: 'SECRET_KEY', group: '', instead: 'Pass it as `secretKey` to createAuth.', isHarmless: alwaysTrue },
  { name: 'SESSION_ENGINE', group: '', instead: 'Sessions are stored in the database.', isHarmless: alwaysTrue },
  { name: 'CACHES', group: '', instead: 'Rate limits are stored in the database.', isHarmless: alwaysTrue },
]
