import { AUTH_ERRORS, type AuthSettings, resolveSettings, SETTING_TABLE, type SettingRow } from '@gatepost/auth'
import { ACCOUNT_PAGES } from './account-pages.ts'
import { HOOKS } from './hooks.ts'
import { MODULE_HOOKS } from './module-hooks.ts'
import { SIGNALS } from './signals.ts'
import { code, errorTable, table } from './table.ts'
import { withAuth } from './with-auth.ts'

const GROUPS: readonly (readonly [group: string, title: string, note?: string])[] = [
  ['', 'The package, the site, cookies and mail'],
  ['account', 'Accounts'],
  ['socialaccount', 'Sign-in at providers', 'See [sign-in at providers](social-login.md).'],
  ['mfa', 'Second factors', 'See [second factors](second-factors.md).'],
  ['headless', 'JSON API', 'See [the JSON API](json-api.md).'],
  ['usersessions', 'Lists of sessions', 'See [lists of sessions](user-sessions.md).'],
  ['idpOidc', 'OpenID Connect provider', 'See [the provider](openid-provider.md).'],
]

/** Every setting by its group, then the names that are translated, then those that are code here. */
export function authSettings(): string {
  const of = (use: SettingRow['use']): readonly SettingRow[] => SETTING_TABLE.filter((row) => row.use === use)
  const groups = GROUPS.flatMap(([group, title, note]) => [
    `### ${title}`,
    ...(note === undefined ? [] : [note]),
    table(
      ['Name', 'In the object', 'Default', 'Must be', 'What it is'],
      of('setting')
        .filter((row) => row.group === group)
        .map((row) => [namesOf(row), code(row.path ?? ''), row.default, row.type, aboutOf(row)]),
    ),
  ])
  return [
    ...groups,
    '### Old names',
    table(
      ['Name', 'Must be', 'What becomes of it'],
      of('old').map((row) => [namesOf(row), row.type, row.about]),
    ),
    '### Names that are code here',
    table(
      ['Name', 'Instead'],
      of('code').map((row) => [namesOf(row), row.about]),
    ),
  ].join('\n\n')
}

const namesOf = ({ name, aliases }: SettingRow): string =>
  aliases.length === 0 ? code(name) : `${code(name)}, also ${aliases.map(code).join(', ')}`

const aboutOf = ({ about, secret }: SettingRow): string => (secret ? `${about} Secret: never shown.` : about)

type Limits = AuthSettings['account']['rateLimits'] & AuthSettings['idpOidc']['rateLimits']
type Rates = Limits[keyof Limits]

/** What is limited, and how much of it is allowed, by default. */
export function rateLimitTable(): string {
  const WHAT: Readonly<Record<keyof Limits, string>> = {
    login: 'posting the login page',
    login_failed: 'wrong passwords; given back after a right one',
    signup: 'posting the sign-up page',
    request_login_code: 'asking for a login code, also for another one',
    reset_password: 'asking for a new password',
    reset_password_from_key: 'posting a new password after a link or a code',
    change_password: 'changing or setting the password',
    manage_email: 'adding, removing, choosing an address, asking for a mail',
    change_phone: 'asking for another phone number',
    reauthenticate: 'posting the page that asks for the password again',
    confirm_email: 'mails that verify an address',
    verify_phone: 'text messages that verify a number',
    refresh_token: 'asking for another access token',
    login_webauthn: 'what a browser is told to sign in with a passkey',
    add_webauthn: 'adding security keys and passkeys',
    list_sessions: 'listing own sessions, ending some',
    provider_login: 'being sent to a provider',
    provider_token: 'signing in with a token of a provider',
    device_user_code: 'typing the code of a device',
    device_code: 'devices that ask for a code',
    client_failed: 'wrong secrets of clients',
    register_client: 'clients that register themselves',
    authorize: 'programs that send somebody here who is not signed in',
  }
  const { account, idpOidc } = resolveSettings().settings
  const rateLimits = { ...account.rateLimits, ...idpOidc.rateLimits }
  const byCode = resolveSettings({
    account: { emailVerification: 'mandatory', emailVerificationByCodeEnabled: true, signupFields: ['email*'] },
  }).settings.account.rateLimits.confirm_email
  const rows = Object.entries(WHAT).map(([action, what]) => {
    const name = action as keyof typeof rateLimits // the keys of WHAT
    const also = name === 'confirm_email' ? `; with codes ${ratesText(byCode)}` : ''
    return [code(action), `${ratesText(rateLimits[name])}${also}`, what]
  })
  return table(['Action', 'Default', 'What is counted'], rows)
}

function ratesText(rates: Rates): string {
  if (rates === null) return 'no limit'
  return rates.map(({ amount, periodMs, per }) => `${amount} in ${periodText(periodMs)} per ${per}`).join(', ')
}

const periodText = (ms: number): string => (ms === 60_000 ? 'a minute' : `${ms / 1_000} s`)

/** Failures of requests, then what can be wrong with a field. */
export async function authErrors(): Promise<string> {
  const messages = await withAuth(({ core }) => core.adapter.errorMessages)
  return [
    '### Requests',
    errorTable(AUTH_ERRORS),
    '### Fields',
    table(
      ['Code', 'English text'],
      Object.entries(messages)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, text]) => [code(name), code(text)]),
    ),
  ].join('\n\n')
}

/** What stands in paths for a value. */
const PARAMETERS = Object.fromEntries(['key', 'id', 'uid', 'organization_slug'].map((name) => [name, `{${name}}`]))

/** Hooks that are values in place of functions. */
const VALUES: ReadonlySet<string> = new Set(['errorMessages', 'scopeDisplay'])
const callOf = (name: string, takes: string): string => (VALUES.has(name) ? name : `${name}(${takes})`)

/** Every page, with its path under the usual prefix. */
export const pagesTable = (): Promise<string> =>
  withAuth(
    ({ core: links }) =>
      withAuth(
        ({ core: codes }) =>
          table(
            ['Path', 'Name', 'What it is', 'There when'],
            ACCOUNT_PAGES.map(([name, what, when = 'always']) => {
              const core = links.has(name) ? links : codes
              return [code(decodeURIComponent(core.url(name, PARAMETERS))), code(name), what, when]
            }),
          ),
        true,
      ),
    false,
  )

/** Every hook by what it is about. */
export function hooksTables(): string {
  const groups = Map.groupBy(Object.entries(HOOKS), ([, [group]]) => group)
  return [...groups]
    .flatMap(([group, hooks]) => [
      `#### ${group}`,
      table(
        ['Hook', 'Answers', 'By default'],
        hooks.map(([name, [, takes, answers, byDefault]]) => [code(callOf(name, takes)), answers, byDefault]),
      ),
    ])
    .join('\n\n')
}

/** Every hook of the other modules. */
export function moduleHooksTables(): string {
  const TITLES: Readonly<Record<keyof typeof MODULE_HOOKS, string>> = {
    mfa: 'Second factors: `adapters.mfa`',
    headless: 'JSON API: `adapters.headless`',
    usersessions: 'Lists of sessions: `adapters.usersessions`',
    socialaccount: 'Sign-in at providers: `adapters.socialaccount`',
    oidc: 'OpenID Connect provider: `adapters.oidc`',
  }
  return Object.entries(MODULE_HOOKS)
    .flatMap(([module, hooks]) => [
      `#### ${TITLES[module as keyof typeof MODULE_HOOKS]}`, // its own key
      table(
        ['Hook', 'Answers', 'By default'],
        Object.entries(hooks).map(([name, [takes, answers, byDefault]]) => [
          code(callOf(name, takes)),
          answers,
          byDefault,
        ]),
      ),
    ])
    .join('\n\n')
}

/** Every signal with what it carries. */
export const signalsTable = (): string =>
  table(
    ['Signal', 'Sender', 'Carries besides `request`', 'When'],
    Object.entries(SIGNALS).map(([name, { sender, carries, when }]) => [
      code(name),
      code(sender),
      Object.keys(carries)
        .map((key) => code(key))
        .join(', '),
      when,
    ]),
  )
