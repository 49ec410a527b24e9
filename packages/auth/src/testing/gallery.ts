import type { BoundField, BoundForm } from '../forms/form.ts'
import type { InputError } from '../errors.ts'

/** A page with what it is given, without a database: how it looks. */
export interface GalleryPage {
  readonly template: string
  readonly context: Readonly<Record<string, unknown>>
}

export const galleryField = (name: string, more: Partial<BoundField> = {}): BoundField => ({
  name,
  id: `id_${name}`,
  label: name,
  type: 'text',
  required: true,
  value: '',
  errors: [],
  ...more,
})

const form = (fields: readonly BoundField[], errors: readonly InputError[] = []): BoundForm => ({ fields, errors })

const email = galleryField('email', { label: 'E-mail', type: 'email', autocomplete: 'email', autofocus: true })
const password = galleryField('password', { label: 'Password', type: 'password', autocomplete: 'current-password' })
const remember = galleryField('remember', {
  label: 'Keep me signed in',
  type: 'checkbox',
  required: false,
  value: false,
})

const radio = (id: number, address: string, verified: boolean, primary: boolean) => ({
  id: `email_radio_${id}`,
  checked: primary,
  emailaddress: { id, email: address, verified, primary },
})
const radios = [
  radio(1, 'ada@example.org', true, true),
  radio(2, 'ada.lovelace.of.the.analytical.engine@mathematics.example.org', false, false),
]

const signup = form(
  [
    { ...email, value: 'ada@example', errors: [{ code: 'invalid', message: 'Enter an e-mail address.' }] },
    galleryField('username', { label: 'User name', autocomplete: 'username', value: 'ada', required: false }),
    {
      ...galleryField('password1', { label: 'Password', type: 'password', autocomplete: 'new-password' }),
      helpText: 'At least 8 characters, and nothing that others would guess.',
      errors: [
        {
          code: 'password_too_short',
          message: 'Use at least {min, plural, one {# character} other {# characters}}.',
          values: { min: 8 },
        },
        { code: 'password_too_common', message: 'Many people use this password.' },
      ],
    },
  ],
  [{ code: 'rate_limited', message: 'Too many requests. Try again later.' }],
)

const entrance = {
  login_url: '/accounts/login/',
  signup_url: '/accounts/signup/',
  request_login_code_url: '/accounts/login/code/',
  LOGIN_BY_CODE_ENABLED: true,
  redirect_field_name: 'next',
  redirect_field_value: '/console/',
}

/** What the frame gives to every page. */
export const frameContext = (path: string): Readonly<Record<string, unknown>> => ({
  request: { path, method: 'GET', language: 'en' },
  user: null,
  site: { domain: 'id.example.org', name: 'Gatepost' },
  messages: [],
  csrf_token: 'made-up-token',
  has: (name: string) => name in PATHS,
  url: (name: string) => PATHS[name],
  asset: (name: string) => `/assets/${name}`,
})

const PATHS: Readonly<Record<string, string>> = {
  account_login: '/accounts/login/',
  account_signup: '/accounts/signup/',
  account_logout: '/accounts/logout/',
  account_email: '/accounts/email/',
  account_change_password: '/accounts/password/change/',
  account_set_password: '/accounts/password/set/',
  account_change_phone: '/accounts/phone/change/',
  account_reset_password: '/accounts/password/reset/',
  usersessions_list: '/accounts/sessions/',
}

const user = { username: 'ada', email: 'ada@example.org' }
const code = galleryField('code', { label: 'Code', autocomplete: 'one-time-code', autofocus: true })

/** By the path that they are shown at. */
export const galleryPages: Readonly<Record<string, GalleryPage>> = {
  '/accounts/login/': {
    template: 'account/login',
    context: { ...entrance, form: form([email, password, remember]) },
  },
  '/accounts/signup/': { template: 'account/signup', context: { ...entrance, form: signup } },
  '/accounts/login/code/confirm/': {
    template: 'account/confirm_login_code',
    context: {
      ...entrance,
      verify_form: form([code]),
      can_resend: true,
      email: 'ada@example.org',
      messages: [{ level: 'success', text: 'A code is on its way to ada@example.org.' }],
    },
  },
  '/accounts/email/': {
    template: 'account/email',
    context: {
      user,
      emailaddresses: radios.map(({ emailaddress }) => emailaddress),
      emailaddress_radios: radios,
      can_add_email: true,
      add_email_form: form([{ ...email, autofocus: false }]),
      messages: [
        { level: 'success', text: 'You have confirmed ada@example.org.' },
        { level: 'error', text: 'Your primary address cannot be removed.' },
      ],
    },
  },
  '/accounts/password/change/': {
    template: 'account/password_change',
    context: {
      user,
      form: form([
        galleryField('oldpassword', { label: 'Current password', type: 'password', autocomplete: 'current-password' }),
        galleryField('password1', { label: 'New password', type: 'password', autocomplete: 'new-password' }),
        galleryField('password2', { label: 'New password again', type: 'password', autocomplete: 'new-password' }),
      ]),
    },
  },
}
