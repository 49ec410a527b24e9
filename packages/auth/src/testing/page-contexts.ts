/** The context of every entrance page (reference, section 6.5.3). */
export const ENTRANCE: readonly string[] = [
  'signup_url',
  'login_url',
  'signup_by_passkey_url',
  'request_login_code_url',
  'site',
  'SOCIALACCOUNT_ENABLED',
  'SOCIALACCOUNT_ONLY',
  'LOGIN_BY_CODE_ENABLED',
  'PASSKEY_LOGIN_ENABLED',
  'PASSKEY_SIGNUP_ENABLED',
]

/** The context of every page that passes `next` on. */
export const NEXT: readonly string[] = ['redirect_field_name', 'redirect_field_value', 'redirect_field']
