import { PASSWORDLESS_SIGNUP } from '../../account/operations/fields.ts'
import { defineOperations, SIGNED_IN } from '../../kernel/operations/declaration.ts'

const AUTHENTICATION = { access: 'anon', tag: 'Authentication: Social login' } as const
const SIGNUP = { ...AUTHENTICATION, path: 'auth/provider/signup' } as const
const CONNECTIONS = { path: 'account/providers', access: 'auth', tag: 'Account: Connected accounts' } as const

/** The operations of social login. */
export const SOCIAL_OPERATIONS = defineOperations({
  listProviders: {
    ...CONNECTIONS,
    method: 'GET',
    summary: 'List your connected accounts',
    answers: { 200: 'ProviderAccounts' },
  },
  disconnectProvider: {
    ...CONNECTIONS,
    method: 'DELETE',
    summary: 'Disconnect an account',
    input: [
      { name: 'provider', kind: 'text', required: true },
      { name: 'account', kind: 'text', required: true, about: 'The `uid` from the list.' },
    ],
    example: { provider: 'github', account: '583231' },
    answers: { 200: 'ProviderAccounts' },
    errors: ['account_not_found', 'disconnect_last', 'no_password', 'no_verified_email'],
  },
  postAuthProviderRedirect: {
    ...AUTHENTICATION,
    method: 'POST',
    path: 'auth/provider/redirect',
    summary: 'Redirect the browser to a provider; takes a form, not JSON',
    ignoresBody: true,
    takesForm: true,
    answers: {},
  },
  loginByProviderToken: {
    ...AUTHENTICATION,
    method: 'POST',
    path: 'auth/provider/token',
    summary: 'Sign in with a token from a provider, or connect an account',
    input: [
      { name: 'provider', kind: 'text', required: true, errors: ['token_authentication_not_supported'] },
      {
        name: 'process',
        kind: 'text',
        required: true,
        errors: ['invalid_choice'],
        values: ['login', 'connect'],
        about: '`login` or `connect`.',
      },
      {
        name: 'token',
        kind: 'json',
        required: true,
        members: ['client_id', 'id_token', 'access_token'],
        about: '`client_id`, and `id_token` or `access_token`.',
        errors: ['client_id_mismatch', 'client_id_required', 'invalid_token', 'token_required'],
      },
    ],
    example: { provider: 'google', process: 'login', token: { client_id: 'app-1', id_token: 'eyJhbGciOi…' } },
    answers: SIGNED_IN,
    errors: ['connected_other', 'permission_denied'],
  },
  getProviderSignup: {
    ...SIGNUP,
    method: 'GET',
    summary: 'Get the pending sign-up of a social login',
    answers: { 200: 'ProviderSignup' },
    errors: ['permission_denied', 'flow_wrong_stage'],
  },
  signupByProvider: {
    ...SIGNUP,
    ...PASSWORDLESS_SIGNUP,
    method: 'POST',
    summary: 'Complete the pending sign-up of a social login',
  },
})
