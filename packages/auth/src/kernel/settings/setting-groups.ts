import { ACCOUNT_EMAIL } from './groups/account-email.ts'
import { ACCOUNT_LOGIN } from './groups/account-login.ts'
import { ACCOUNT_PASSWORD } from './groups/account-password.ts'
import { ACCOUNT_SIGNUP } from './groups/account-signup.ts'
import { COOKIES } from './groups/cookies.ts'
import { HEADLESS } from './groups/headless.ts'
import { HOST } from './groups/host.ts'
import { IDP_OIDC } from './groups/idp-oidc.ts'
import { appSwitch, MODULE_APPS } from './installed-apps.ts'
import { flag } from './kind.ts'
import { MAIL } from './groups/mail.ts'
import { MFA } from './groups/mfa.ts'
import { type Resolved, setting, type Setting, type SettingGroup, type Written } from './setting.ts'
import { SOCIALACCOUNT } from './groups/socialaccount.ts'

/** The user's list of sessions: `USERSESSIONS_…`. */
const USERSESSIONS = {
  enabled: appSwitch('USERSESSIONS_ENABLED', MODULE_APPS.usersessions),
  trackActivity: setting({
    name: 'USERSESSIONS_TRACK_ACTIVITY',
    kind: flag,
    fallback: false,
    about: "Stores the IP address, browser, and time of each session's last request.",
  }),
}

/** Settings at the top level. */
export const TOP = { ...HOST, ...COOKIES, ...MAIL }

/** Settings in groups, by group name. */
export const GROUPS = {
  account: { ...ACCOUNT_SIGNUP, ...ACCOUNT_LOGIN, ...ACCOUNT_EMAIL, ...ACCOUNT_PASSWORD },
  socialaccount: SOCIALACCOUNT,
  mfa: MFA,
  headless: HEADLESS,
  usersessions: USERSESSIONS,
  idpOidc: IDP_OIDC,
}
/** The name of a group; `idpOidc` is the module `idp.oidc`. */
type GroupName = keyof typeof GROUPS

/** All settings, checked and frozen. Periods are in seconds unless the name says otherwise. */
export type AuthSettings = Resolved<typeof TOP> & { readonly [G in GroupName]: Resolved<(typeof GROUPS)[G]> }

/** The settings that a caller passes: any subset, in the forms of the reference (`email*`, `5/m/ip`, true for 2). */
export type AuthSettingsInput = Written<typeof TOP> & { readonly [G in GroupName]?: Written<(typeof GROUPS)[G]> } & {
  /** Notes to add to the warnings. `settingsFromNames` adds its translations here. */
  readonly notes?: readonly string[]
}

/** A setting and its path in the object. */
export interface PlacedSetting {
  readonly setting: Setting<unknown, unknown>
  /** `null` at the top level. */
  readonly group: GroupName | null
  readonly key: string
  /** E.g. `account.loginMethods`. */
  readonly path: string
}

const placeSettings = (table: SettingGroup, group: GroupName | null): readonly PlacedSetting[] =>
  Object.entries(table).map(([key, setting]) => ({
    setting,
    group,
    key,
    path: group === null ? key : `${group}.${key}`,
  }))

/** Every setting, in the order of the manual. */
export const ALL_SETTINGS: readonly PlacedSetting[] = [
  ...placeSettings(TOP, null),
  ...placeSettings(GROUPS.account, 'account'),
  ...placeSettings(GROUPS.socialaccount, 'socialaccount'),
  ...placeSettings(GROUPS.mfa, 'mfa'),
  ...placeSettings(GROUPS.headless, 'headless'),
  ...placeSettings(GROUPS.usersessions, 'usersessions'),
  ...placeSettings(GROUPS.idpOidc, 'idpOidc'),
]
