import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { authWorld } from '../../testing/auth-world.ts'
import { OIDC_TOURS } from '../../testing/oidc-tour.ts'
import { ENTRANCE, NEXT } from '../../testing/page-contexts.ts'
import { SECOND_FACTOR_TOURS } from '../../testing/second-factor-tour.ts'
import { TOURS } from '../../testing/tour.ts'

const CODE = [...ENTRANCE, ...NEXT, 'verify_form', 'change_form', 'can_change', 'can_resend', 'cancel_url']
const ADDRESSES = ['form', 'add_email_form', 'emailaddresses', 'emailaddress_radios', 'can_add_email']

/** Variables that each page needs, in addition to the request, the user, the messages and the tag functions. */
const PAGES: Readonly<Record<string, readonly string[]>> = {
  'account/account_inactive': [],
  'account/login': [...ENTRANCE, ...NEXT, 'form'],
  'account/signup': [...ENTRANCE, ...NEXT, 'form'],
  'account/signup_closed': [],
  'account/logout': NEXT,
  'account/email': ADDRESSES,
  'account/email_change': [...ADDRESSES, 'current_emailaddress', 'new_emailaddress'],
  'account/email_confirm': [...NEXT, 'confirmation', 'can_confirm', 'email'],
  'account/confirm_email_verification_code': [...CODE, 'email'],
  'account/confirm_phone_verification_code': [...CODE, 'phone', 'action'],
  'account/confirm_login_code': [...ENTRANCE, ...NEXT, 'verify_form', 'can_resend', 'email', 'phone'],
  'account/confirm_password_reset_code': [...ENTRANCE, ...NEXT, 'verify_form', 'email'],
  'account/request_login_code': [...ENTRANCE, ...NEXT, 'form'],
  'account/password_change': [...NEXT, 'form', 'password_change_form'],
  'account/password_set': [...NEXT, 'form', 'password_set_form'],
  'account/password_reset': [...ENTRANCE, ...NEXT, 'form', 'password_reset_form'],
  'account/password_reset_done': ENTRANCE,
  'account/password_reset_from_key': [...ENTRANCE, ...NEXT, 'form', 'action_url', 'token_fail'],
  'account/password_reset_from_key_done': ENTRANCE,
  'account/phone_change': ['form', 'phone', 'phone_verified'],
  'account/reauthenticate': [...NEXT, 'form', 'reauthentication_alternatives'],
  'account/verification_sent': ENTRANCE,
  'account/verified_email_required': [],
  '429': [],
  'account/signup_by_passkey': [...ENTRANCE, ...NEXT, 'form', 'by_passkey'],
  'mfa/index': ['authenticators', 'MFA_SUPPORTED_TYPES', 'MFA_RECOVERY_CODES_SHOW_ONCE', 'is_mfa_enabled'],
  'mfa/authenticate': [...ENTRANCE, 'form', 'MFA_SUPPORTED_TYPES', 'webauthn_form', 'js_data'],
  'mfa/reauthenticate': [...NEXT, 'form', 'reauthentication_alternatives'],
  'mfa/trust': [...ENTRANCE, 'trust_from', 'trust_until'],
  'mfa/totp/activate_form': ['form', 'totp_svg', 'totp_svg_data_uri', 'totp_url'],
  'mfa/totp/deactivate_form': ['form', 'authenticator'],
  'mfa/recovery_codes/index': [
    'unused_codes',
    'can_view_codes',
    'can_download_codes',
    'can_generate_codes',
    'total_count',
    'MFA_RECOVERY_CODES_SHOW_ONCE',
  ],
  'mfa/recovery_codes/generate': ['form', 'unused_code_count'],
  'mfa/webauthn/add_form': ['form', 'js_data'],
  'mfa/webauthn/signup_form': [...ENTRANCE, 'form', 'js_data'],
  'mfa/webauthn/reauthenticate': [...NEXT, 'form', 'reauthentication_alternatives', 'js_data'],
  'mfa/webauthn/edit_form': ['form', 'authenticator'],
  'mfa/webauthn/authenticator_confirm_delete': ['authenticator'],
  'mfa/webauthn/authenticator_list': ['authenticators'],
  'usersessions/usersession_list': ['sessions', 'session_count', 'show_last_seen_at'],
  'idp/oidc/authorization_form': ['form', 'client', 'site'],
  'idp/oidc/device_authorization_code_form': ['form', 'autorization_url'],
  'idp/oidc/device_authorization_confirm_form': ['user_code', 'client', 'autorization_url'],
  'idp/oidc/device_authorization_confirmed': ['user_code', 'client'],
  'idp/oidc/device_authorization_denied': ['user_code', 'client'],
  'idp/oidc/error': ['error', 'error_form'],
  'idp/oidc/logout': ['form'],
  'idp/oidc/applications': ['applications'],
  'admin/client_list': ['clients'],
  'admin/client_form': ['client', 'form'],
  'admin/client_confirm': ['client', 'action'],
  'admin/client_secret': ['client', 'secret'],
}

const NOTICE = ['timestamp', 'ip', 'user_agent']
const MAILS: Readonly<Record<string, readonly string[]>> = {
  email_confirmation: ['user', 'key', 'activate_url', 'code'],
  email_confirmation_signup: ['user', 'key', 'activate_url'],
  account_already_exists: ['signup_url', 'password_reset_url'],
  unknown_account: ['signup_url'],
  login_code: ['code'],
  password_reset_code: ['code'],
  password_reset_key: ['user', 'password_reset_url', 'uid', 'key', 'username'],
  email_changed: ['from_email', 'to_email', ...NOTICE],
  email_deleted: ['deleted_email', ...NOTICE],
  password_changed: NOTICE,
  password_reset: NOTICE,
  password_set: NOTICE,
  email_confirm: NOTICE,
}

const MESSAGES: Readonly<Record<string, readonly string[]>> = {
  logged_in: ['user'],
  logged_out: [],
  email_confirmation_sent: ['email', 'login', 'signup'],
  email_confirmed: ['email'],
  email_confirmation_failed: ['email'],
  email_deleted: ['email'],
  cannot_delete_primary_email: ['email'],
  primary_email_set: [],
  unverified_primary_email: [],
  password_changed: [],
  password_set: [],
  login_code_sent: ['email', 'phone', 'recipient'],
  phone_verification_sent: ['phone'],
  phone_verified: ['phone'],
}

const MFA_MAILS: Readonly<Record<string, readonly string[]>> = {
  totp_activated: NOTICE,
  totp_deactivated: NOTICE,
  recovery_codes_generated: NOTICE,
  webauthn_added: NOTICE,
  webauthn_removed: NOTICE,
}

const MFA_MESSAGES: Readonly<Record<string, readonly string[]>> = {
  totp_activated: [],
  totp_deactivated: [],
  recovery_codes_generated: ['MFA_RECOVERY_CODES_SHOW_ONCE'],
  webauthn_added: [],
  webauthn_removed: [],
}

/** The names in the context of each template in any of the tours. */
const known = new Map<string, Set<string>>()

beforeAll(async () => {
  for (const { settings, adapter = {}, walk } of Object.values({ ...TOURS, ...SECOND_FACTOR_TOURS, ...OIDC_TOURS })) {
    const world = await authWorld({ settings, adapters: { account: adapter } })
    const { templates } = world.auth.kernel
    for (const kind of ['page', 'optionalPage', 'text'] as const) {
      const render = templates[kind]
      vi.spyOn(templates, kind).mockImplementation(async (name: string, context, t) => {
        known.set(name, new Set([...(known.get(name) ?? []), ...Object.keys(context)]))
        return (await render.call(templates, name, context, t)) ?? ''
      })
    }
    await walk(world)
    await world.mails()
    await world.close()
  }
})

const listMissingVariables = (template: string, wanted: readonly string[]): readonly string[] =>
  wanted.filter((name) => known.get(template)?.has(name) !== true)

describe('the context of templates', () => {
  it.each(Object.entries(PAGES))('%s', (template, wanted) => {
    expect(
      listMissingVariables(template, ['request', 'user', 'messages', 'csrf_token', 'user_verified', ...wanted]),
    ).toEqual([])
  })

  const mails = [
    ...Object.entries(MAILS).map(([mail, wanted]) => [`account/email/${mail}`, wanted] as const),
    ...Object.entries(MFA_MAILS).map(([mail, wanted]) => [`mfa/email/${mail}`, wanted] as const),
  ]
  it.each(mails)('%s', (mail, wanted) => {
    for (const part of ['subject', 'message']) {
      expect(
        listMissingVariables(`${mail}_${part}`, ['request', 'email', 'current_site', 'user_display', ...wanted]),
      ).toEqual([])
    }
  })

  const messages = [
    ...Object.entries(MESSAGES).map(([message, wanted]) => [`account/messages/${message}`, wanted] as const),
    ...Object.entries(MFA_MESSAGES).map(([message, wanted]) => [`mfa/messages/${message}`, wanted] as const),
    ['usersessions/messages/sessions_logged_out', []] as const,
    ['idp/oidc/messages/access_ended', ['client']] as const,
    ['admin/messages/client_saved', ['client']] as const,
    ['admin/messages/client_removed', ['client']] as const,
  ]
  it.each(messages)('%s', (message, wanted) => {
    expect(known.has(message)).toBe(true)
    expect(listMissingVariables(message, wanted)).toEqual([])
  })

  it.each([
    ['account', MAILS, MESSAGES],
    ['mfa', MFA_MAILS, MFA_MESSAGES],
  ])('covers every mail and message of %s that is shipped', (module, mails, messages) => {
    const shipped = (folder: string, pattern: RegExp): readonly string[] =>
      readdirSync(fileURLToPath(new URL(`../../../templates/${module}/${folder}/`, import.meta.url)))
        .flatMap((file) => pattern.exec(file)?.[1] ?? [])
        .toSorted()
    expect(shipped('email', /^(.+)_subject\.txt$/)).toEqual(Object.keys(mails).toSorted())
    expect(shipped('messages', /^(.+)\.txt$/)).toEqual(Object.keys(messages).toSorted())
  })
})
