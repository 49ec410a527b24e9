import { expect, it } from 'vitest'
import { selectedSection, availableSections } from './sections.ts'

const account = {
  login_methods: ['email' as const],
  is_open_for_signup: false,
  email_verification_by_code_enabled: false,
  login_by_code_enabled: false,
  password_reset_by_code_enabled: false,
}

it('lists the sections that the service has enabled', () => {
  const mfa = { supported_types: ['totp' as const], passkey_login_enabled: false }
  const all = { account, mfa, usersessions: { track_activity: true }, socialaccount: { providers: [] } }
  expect(availableSections(all, { isByProviderAlone: false })).toEqual([
    'profile',
    'emails',
    'password',
    'security',
    'sessions',
    'connections',
    'programs',
  ])
  expect(availableSections({ account }, { isByProviderAlone: true })).toEqual(['profile', 'programs'])
})

it.each([
  ['?section=emails', 'emails'],
  ['?section=security', 'profile'],
  ['?section=nonsense', 'profile'],
  ['', 'profile'],
])('%s selects %s when two-factor authentication is disabled', (search, section) => {
  expect(selectedSection(search, availableSections({ account }, { isByProviderAlone: false }))).toBe(section)
})
