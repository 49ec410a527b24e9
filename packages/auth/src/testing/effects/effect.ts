import type { AuthSettingsInput } from '../../kernel/settings/settings.ts'
import { type AuthWorld, authWorld } from '../auth-world.ts'
import type { Visitor } from '../visitor.ts'

type Options = NonNullable<Parameters<typeof authWorld>[0]>

/** The visible effect of a setting. */
export interface Effect {
  /** The setting's path in the typed object, e.g. `account.changeEmail`. */
  readonly setting: string
  /** The settings of both worlds. */
  readonly base?: AuthSettingsInput
  /** The additional settings of one of them. */
  readonly changed: AuthSettingsInput
  readonly options?: Options
  observe(world: AuthWorld): Promise<unknown>
  readonly without: unknown
  readonly within: unknown
}

export const PASSWORD = 'a made-up pass phrase'
export const ADA = { username: 'ada', email: 'ada@example.org', password: PASSWORD }
const PAIR = { password1: PASSWORD, password2: PASSWORD }

/** Returns a visitor who is signed in as Ada. */
export async function member(world: AuthWorld, user: Parameters<AuthWorld['addUser']>[0] = ADA): Promise<Visitor> {
  await world.addUser(user)
  const visitor = world.visitor()
  await visitor.login(user.username ?? user.email ?? '', PASSWORD)
  return visitor
}

/** Posts the signup form. */
export const signUp = (visitor: Visitor, fields: Readonly<Record<string, string>> = {}): ReturnType<Visitor['post']> =>
  visitor.post('/accounts/signup/', { username: 'ada', email: ADA.email, ...PAIR, ...fields })

/** Returns the path of the link in the latest mail to an address. */
export async function linkTo(world: AuthWorld, email: string): Promise<string> {
  const url = /https?:\/\/\S+/.exec((await world.mailTo(email)).text)?.[0]
  if (url === undefined) throw new Error(`no link in the mail to ${email}`)
  return new URL(url).pathname
}

/** Returns the code in the latest mail to an address. */
export async function codeTo(world: AuthWorld, email: string): Promise<string> {
  const code = /^ {4}(\S+)$/m.exec((await world.mailTo(email)).text)?.[1]
  if (code === undefined) throw new Error(`no code in the mail to ${email}`)
  return code
}

/** Replaces every letter of a code with `A` and every digit with `0`. */
export const maskCode = (code: string): string => code.replaceAll(/[A-Z]/g, 'A').replaceAll(/\d/g, '0')

/** Creates the world of an effect, with or without the setting. */
export const createEffectWorld = (
  { base = {}, changed, options = {} }: Effect,
  isChanged: boolean,
): Promise<AuthWorld> =>
  authWorld({
    ...options,
    settings: isChanged ? mergeSettings(base, changed) : base,
  })

const mergeSettings = (base: AuthSettingsInput, changed: AuthSettingsInput): AuthSettingsInput => ({
  ...base,
  ...changed,
  account: { ...base.account, ...changed.account },
  mfa: { ...base.mfa, ...changed.mfa },
  socialaccount: { ...base.socialaccount, ...changed.socialaccount },
  headless: { ...base.headless, ...changed.headless },
  usersessions: { ...base.usersessions, ...changed.usersessions },
  idpOidc: { ...base.idpOidc, ...changed.idpOidc },
})
