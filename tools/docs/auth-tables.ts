import { AUTH_ERRORS, type AuthSettings, resolveSettings, SETTING_TABLE, type SettingRow } from '@gatepost/auth'
import { ACCOUNT_PAGES } from './account-pages.ts'
import { HOOKS } from './hooks.ts'
import { MODULE_HOOKS } from './module-hooks.ts'
import { SIGNALS } from './signals.ts'
import { renderErrorTable, renderTable, toCode } from './table.ts'
import { withAuth } from './with-auth.ts'

const GROUPS: readonly (readonly [group: string, title: string, note?: string])[] = [
  ['', 'General, cookies, and email'],
  ['account', 'Accounts'],
  ['socialaccount', 'Social login', 'See [Social login](social-login.md).'],
  ['mfa', 'Two-factor authentication', 'See [Two-factor authentication and passkeys](second-factors.md).'],
  ['headless', 'JSON API', 'See [JSON API](json-api.md).'],
  ['usersessions', 'Sessions', 'See [Sessions](user-sessions.md).'],
  ['idpOidc', 'OpenID Connect provider', 'See [OpenID Connect provider](openid-provider.md).'],
]

/** Renders every setting by group, then the old names that are translated, then those replaced by code. */
export function renderAuthSettings(): string {
  const findRows = (use: SettingRow['use']): readonly SettingRow[] => SETTING_TABLE.filter((row) => row.use === use)
  const groups = GROUPS.flatMap(([group, title, note]) => [
    `### ${title}`,
    ...(note === undefined ? [] : [note]),
    renderTable(
      ['Name', 'Object key', 'Default', 'Allowed values', 'Description'],
      findRows('setting')
        .filter((row) => row.group === group)
        .map((row) => [formatNames(row), toCode(row.path ?? ''), row.default, row.type, formatDescription(row)]),
    ),
  ])
  return [
    ...groups,
    '### Old names',
    renderTable(
      ['Name', 'Allowed values', 'Replacement'],
      findRows('old').map((row) => [formatNames(row), row.type, row.about]),
    ),
    '### Settings replaced by code',
    renderTable(
      ['Name', 'Use instead'],
      findRows('code').map((row) => [formatNames(row), row.about]),
    ),
  ].join('\n\n')
}

const formatNames = ({ name, aliases }: SettingRow): string =>
  aliases.length === 0 ? toCode(name) : `${toCode(name)}, also ${aliases.map(toCode).join(', ')}`

const formatDescription = ({ about, secret }: SettingRow): string => (secret ? `${about} Secret: never shown.` : about)

type Limits = AuthSettings['account']['rateLimits'] & AuthSettings['idpOidc']['rateLimits']
type Rates = Limits[keyof Limits]

/** Renders the default rate limits. */
export function renderRateLimits(): string {
  const DESCRIPTIONS: Readonly<Record<keyof Limits, string>> = {
    login: 'Submitting the sign-in page',
    login_failed: 'Wrong passwords; reset after a correct one',
    signup: 'Submitting the sign-up page',
    request_login_code: 'Requesting a sign-in code, including a new one',
    reset_password: 'Requesting a password reset',
    reset_password_from_key: 'Submitting a new password after a link or code',
    change_password: 'Changing or setting the password',
    manage_email: 'Adding, removing, or choosing an email address, and requesting an email',
    change_phone: 'Changing the phone number',
    reauthenticate: 'Submitting the reauthentication page',
    confirm_email: 'Verification emails',
    verify_phone: 'Verification text messages',
    refresh_token: 'Requesting a new access token',
    login_webauthn: 'Requesting the options for a passkey sign-in',
    add_webauthn: 'Adding security keys and passkeys',
    list_sessions: 'Listing and ending your own sessions',
    provider_login: 'Starting a social login',
    provider_token: "Signing in with a provider's token",
    device_user_code: 'Entering a device code',
    device_code: 'Devices requesting a code',
    client_failed: 'Wrong client secrets',
    register_client: 'Clients registering themselves',
    authorize: "Clients sending users who aren't signed in",
  }
  const { account, idpOidc } = resolveSettings().settings
  const rateLimits = { ...account.rateLimits, ...idpOidc.rateLimits }
  const byCode = resolveSettings({
    account: { emailVerification: 'mandatory', emailVerificationByCodeEnabled: true, signupFields: ['email*'] },
  }).settings.account.rateLimits.confirm_email
  const rows = Object.entries(DESCRIPTIONS).map(([action, description]) => {
    const name = action as keyof typeof rateLimits // the keys of DESCRIPTIONS
    const also = name === 'confirm_email' ? `; with codes ${formatRates(byCode)}` : ''
    return [toCode(action), `${formatRates(rateLimits[name])}${also}`, description]
  })
  return renderTable(['Action', 'Default', 'What counts'], rows)
}

function formatRates(rates: Rates): string {
  if (rates === null) return 'no limit'
  return rates
    .map(
      ({ amount, periodMs, per }) => `${amount} per ${formatPeriod(periodMs)} per ${per === 'ip' ? 'IP address' : per}`,
    )
    .join(', ')
}

function formatPeriod(ms: number): string {
  const [unit, size] =
    ms % 3_600_000 === 0 ? ['hour', 3_600_000] : ms % 60_000 === 0 ? ['minute', 60_000] : ['second', 1_000]
  return ms === size ? unit : `${ms / size} ${unit}s`
}

/** Renders the errors of requests, then those of fields. */
export async function renderAuthErrors(): Promise<string> {
  const messages = await withAuth(({ account }) => account.adapter.errorMessages)
  return [
    '### Requests',
    renderErrorTable(AUTH_ERRORS),
    '### Fields',
    renderTable(
      ['Code', 'English message'],
      Object.entries(messages)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, text]) => [toCode(name), toCode(typeof text === 'string' ? text : '')]),
    ),
  ].join('\n\n')
}

/** Placeholders for the parameters in paths. */
const PARAMETERS = Object.fromEntries(['key', 'id', 'uid', 'organization_slug'].map((name) => [name, `{${name}}`]))

/** Hooks that are values, not functions. */
const VALUES: ReadonlySet<string> = new Set([
  'errorMessages',
  'scopeDisplay',
  'readOnlyScopes',
  'sensitiveScopes',
  'consentScopes',
])
const formatCall = (name: string, takes: string): string => (VALUES.has(name) ? name : `${name}(${takes})`)

/** Renders every page with its path below the default prefix. */
export const renderPages = (): Promise<string> =>
  withAuth(
    (links) =>
      withAuth(
        (codes) =>
          renderTable(
            ['Path', 'Name', 'Purpose', 'Available'],
            ACCOUNT_PAGES.map(([name, purpose, when = 'always']) => {
              const { kernel } = links.kernel.has(name) ? links : codes
              return [toCode(decodeURIComponent(kernel.url(name, PARAMETERS))), toCode(name), purpose, when]
            }),
          ),
        true,
      ),
    false,
  )

/** Renders every account hook by subject. */
export function renderHooks(): string {
  const groups = Map.groupBy(Object.entries(HOOKS), ([, [group]]) => group)
  return [...groups]
    .flatMap(([group, hooks]) => [
      `#### ${group}`,
      renderTable(
        ['Hook', 'Returns', 'Default'],
        hooks.map(([name, [, takes, returns, byDefault]]) => [toCode(formatCall(name, takes)), returns, byDefault]),
      ),
    ])
    .join('\n\n')
}

/** Renders every hook of the other modules. */
export function renderModuleHooks(): string {
  const TITLES: Readonly<Record<keyof typeof MODULE_HOOKS, string>> = {
    mfa: 'Two-factor authentication: `adapters.mfa`',
    headless: 'JSON API: `adapters.headless`',
    usersessions: 'Sessions: `adapters.sessions`',
    socialaccount: 'Social login: `adapters.social`',
    oidc: 'OpenID Connect provider: `adapters.oidc`',
  }
  return Object.entries(MODULE_HOOKS)
    .flatMap(([module, hooks]) => [
      `#### ${TITLES[module as keyof typeof MODULE_HOOKS]}`, // its own key
      renderTable(
        ['Hook', 'Returns', 'Default'],
        Object.entries(hooks).map(([name, [takes, returns, byDefault]]) => [
          toCode(formatCall(name, takes)),
          returns,
          byDefault,
        ]),
      ),
    ])
    .join('\n\n')
}

/** Renders every signal with its payload. */
export const renderSignals = (): string =>
  renderTable(
    ['Signal', 'Sender', 'Payload besides `request`', 'Sent when'],
    Object.entries(SIGNALS).map(([name, { sender, carries, when }]) => [
      toCode(name),
      toCode(sender),
      Object.keys(carries)
        .map((key) => toCode(key))
        .join(', '),
      when,
    ]),
  )
