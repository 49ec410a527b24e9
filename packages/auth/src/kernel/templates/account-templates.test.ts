import { describe, expect, it } from 'vitest'
import { stripOwnScripts } from '../../testing/own-scripts.ts'
import { mailSample, pageSamples } from '../../testing/page-samples.ts'
import { HOSTILE } from '../../testing/sample-form.ts'
import { createTemplates } from './templates.ts'
import { createTranslations } from './translations.ts'

const LANGUAGES = ['en', 'de', 'es', 'fr', 'zh-hans']
const templates = createTemplates()
const translations = createTranslations({ languages: LANGUAGES })

const countMatches = (text: string, part: RegExp): number => Array.from(text.matchAll(part)).length

/** Each form of a page, from its tag to its end. */
const extractForms = (html: string): readonly string[] =>
  Array.from(html.matchAll(/<form[\s\S]*?<\/form>/g), ([form]) => form)

describe.each(LANGUAGES)('pages in %s', (language) => {
  it.each(pageSamples(language))('%s', async (_name, template, context) => {
    await translations.load(language)
    const html = await templates.page(template, context, translations.translator(language))
    expect(html).toContain(`<html lang="${language}"`)
    expect(countMatches(html, /<h1\b/g)).toBe(1)
    expect(html).toMatch(/<title>[^<·]+ · /)
    // A strict policy for scripts and styles holds, and nothing that a stranger typed is markup.
    expect(stripOwnScripts(html)).not.toMatch(/<script|<style|\sstyle=|\son\w+=/)
    for (const form of extractForms(html)) {
      expect(form).toContain('method="post"')
      expect(countMatches(form, /name="csrfmiddlewaretoken" value="a-token"/g)).toBe(1)
      expect(countMatches(form, /<form\b/g)).toBe(1)
    }
    const ids = Array.from(html.matchAll(/\sid="([^"]*)"/g), ([, id]) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const [, id] of html.matchAll(/<label[^>]* for="([^"]*)"/g)) expect(ids).toContain(id)
    expect(html).not.toMatch(/\{%|\{\{|undefined|\[object/)
  })
})

const MAILS: readonly (readonly [prefix: string, needs: readonly string[]])[] = [
  ['email_confirmation', ['activate_url']],
  ['email_confirmation_signup', ['activate_url']],
  ['account_already_exists', ['password_reset_url']],
  ['unknown_account', ['signup_url']],
  ['login_code', ['code']],
  ['password_reset_code', ['code']],
  ['password_reset_key', ['password_reset_url', 'username']],
  ['email_changed', ['from_email', 'to_email', 'timestamp', 'ip', 'user_agent']],
  ['email_deleted', ['deleted_email', 'timestamp', 'ip', 'user_agent']],
  ['email_confirm', ['confirmed_email', 'timestamp', 'ip', 'user_agent']],
  ['password_changed', ['timestamp', 'ip', 'user_agent']],
  ['password_reset', ['timestamp', 'ip', 'user_agent']],
  ['password_set', ['timestamp', 'ip', 'user_agent']],
  ...['totp_activated', 'totp_deactivated', 'recovery_codes_generated', 'webauthn_added', 'webauthn_removed'].map(
    (mail) => [`mfa/email/${mail}`, ['timestamp', 'ip', 'user_agent']] as const,
  ),
  ...['account_connected', 'account_disconnected'].map(
    (mail) => [`socialaccount/email/${mail}`, ['timestamp', 'ip', 'user_agent']] as const,
  ),
]
const PROVIDER = { name: HOSTILE }
const CODE = 'WDJB-MJHT'

describe.each(LANGUAGES)('mails in %s', (language) => {
  it.each(MAILS)('%s', async (prefix, needs) => {
    await translations.load(language)
    const t = translations.translator(language)
    const context: Readonly<Record<string, unknown>> = {
      ...mailSample(language),
      provider: PROVIDER,
      ...(needs.includes('code') ? { code: CODE } : {}),
    }
    const name = prefix.includes('/') ? prefix : `account/email/${prefix}`
    const subject = (await templates.text(`${name}_subject`, context, t)) ?? ''
    const text = (await templates.text(`${name}_message`, context, t)) ?? ''
    const html = (await templates.optionalPage(`${name}_message`, context, t)) ?? ''

    expect(subject).toMatch(/^[^\n{}]{4,78}$/)
    for (const value of Object.values(context)) {
      if (typeof value === 'string' && value.includes('@')) expect(subject).not.toContain(value)
    }
    expect(subject).not.toContain(HOSTILE)

    const oneLine = text.replaceAll(/\s+/g, ' ')
    for (const need of needs) {
      const value = String(Object.entries(context).find(([key]) => key === need)?.[1])
      expect(oneLine).toContain(value.trim())
    }
    expect(text).toContain('id.example.org')
    expect(html).toContain('id.example.org')
    expect(html).not.toMatch(/<script|<img|\{%|\{\{|undefined/)
    if (language !== 'zh-hans') {
      const long = text.split('\n').filter((line) => line.length > 72 && line.includes(' '))
      expect(long).toEqual([])
    }
  })

  it('contains a code instead of a link if there is one', async () => {
    await translations.load(language)
    const context = { ...mailSample(language), code: CODE }
    for (const name of [
      'account/email/email_confirmation_message',
      'account/email/email_confirmation_signup_message',
    ]) {
      const text = await templates.text(name, context, translations.translator(language))
      const html = await templates.optionalPage(name, context, translations.translator(language))
      expect(text).toContain(`\n    ${CODE}\n`)
      expect(html).toContain(CODE)
      expect(`${text}${html}`).not.toContain('confirm-email')
    }
  })
})

describe('the honeypot', () => {
  it('is in the form for programs, and neither seen, heard nor reached by people', async () => {
    const [, template, context] = pageSamples('en').find(([, name]) => name === 'account/signup') ?? ['', '', {}]
    const html = await templates.page(template, context, translations.translator('en'))
    const trap = /<div class="auth-trap" aria-hidden="true">[\s\S]*?<\/div>/.exec(html)?.[0]
    expect(trap).toContain('name="website" value="" tabindex="-1" autocomplete="off"')
    const without = await templates.page(template, { ...context, honeypot_field: null }, translations.translator('en'))
    expect(without).not.toContain('auth-trap')
  })
})

describe('messages', () => {
  it.each([
    ['logged_in', { user: { username: 'ada' } }, "You're signed in as ada."],
    ['logged_out', {}, "You've signed out."],
    ['email_confirmation_sent', { email: 'a@b.example' }, 'We sent a verification email to a@b.example.'],
    ['email_confirmed', { email: 'a@b.example' }, "You've verified a@b.example."],
    [
      'email_confirmation_failed',
      { email: 'a@b.example' },
      "Couldn't verify a@b.example. It's already used by another account.",
    ],
    ['email_deleted', { email: 'a@b.example' }, 'a@b.example has been removed from your account.'],
    [
      'cannot_delete_primary_email',
      { email: 'a@b.example' },
      "You can't remove a@b.example because it's your primary email address.",
    ],
    ['primary_email_set', {}, 'Your primary email address has been changed.'],
    ['unverified_primary_email', {}, 'Verify this email address before you make it your primary address.'],
    ['password_changed', {}, 'Your password has been changed.'],
    ['password_set', {}, 'Your password has been set.'],
    ['login_code_sent', { recipient: 'a@b.example' }, 'We sent a sign-in code to a@b.example.'],
    ['phone_verification_sent', { phone: '+15550100' }, 'We sent a code to +15550100.'],
    ['phone_verified', { phone: '+15550100' }, "You've verified +15550100."],
    ['mfa/messages/totp_activated', {}, 'Your authenticator app is set up.'],
    ['mfa/messages/totp_deactivated', {}, 'The authenticator app has been removed.'],
    ['mfa/messages/webauthn_added', {}, 'The security key has been added.'],
    ['mfa/messages/webauthn_removed', {}, 'The security key has been removed.'],
    ['mfa/messages/recovery_codes_generated', {}, 'You have new recovery codes. Keep them somewhere safe.'],
    [
      'mfa/messages/recovery_codes_generated',
      { MFA_RECOVERY_CODES_SHOW_ONCE: true },
      "You have new recovery codes. They're shown only once, so save them somewhere safe now.",
    ],
    ['usersessions/messages/sessions_logged_out', { ended_count: null }, "You've signed out of all other sessions."],
    ['usersessions/messages/sessions_logged_out', { ended_count: 1 }, "You've signed out of the session."],
    ['socialaccount/messages/account_connected', {}, 'The account has been connected.'],
    ['socialaccount/messages/account_connected_updated', {}, 'This account is already connected.'],
    ['socialaccount/messages/account_connected_other', {}, 'This account is already connected to another user.'],
    ['socialaccount/messages/account_disconnected', {}, 'The account has been disconnected.'],
  ])('%s', async (name, context, expected) => {
    const template = name.includes('/') ? name : `account/messages/${name}`
    expect(await templates.text(template, context, translations.translator('en'))).toBe(expected)
  })
})
