import {
  CONFLICT,
  defineOperations,
  ERRORS,
  FLOWS,
  FORBIDDEN,
  SIGN_IN_ATTEMPT,
} from '../../kernel/operations/declaration.ts'

const AUTHENTICATION = { access: 'anon', tag: 'Authentication: Social login' } as const
const SIGNUP = { ...AUTHENTICATION, path: 'auth/provider/signup' } as const
const CONNECTIONS = { path: 'account/providers', access: 'auth', tag: 'Account: Connected accounts' } as const

/** The operations of social login. */
export const SOCIAL_OPERATIONS = defineOperations({
  listProviders: {
    ...CONNECTIONS,
    method: 'GET',
    summary: 'List your connected accounts',
    answers: { 200: 'ProviderAccounts', ...FLOWS },
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
    answers: { 200: 'ProviderAccounts', ...FLOWS, ...ERRORS },
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
      { name: 'provider', kind: 'text', required: true },
      {
        name: 'process',
        kind: 'text',
        required: true,
        values: ['login', 'connect'],
        about: '`login` or `connect`.',
      },
      {
        name: 'token',
        kind: 'object',
        required: true,
        members: ['client_id', 'id_token', 'access_token'],
        about: '`client_id`, and `id_token` or `access_token`.',
      },
    ],
    example: { provider: 'google', process: 'login', token: { client_id: 'app-1', id_token: 'eyJhbGciOi…' } },
    answers: { ...SIGN_IN_ATTEMPT, ...FORBIDDEN },
  },
  getProviderSignup: {
    ...SIGNUP,
    method: 'GET',
    summary: 'Get the pending sign-up of a social login',
    answers: { 200: 'ProviderSignup', ...FORBIDDEN, ...CONFLICT },
  },
  signupByProvider: {
    ...SIGNUP,
    method: 'POST',
    summary: 'Complete the pending sign-up of a social login',
    input: [
      { name: 'email', kind: 'email', required: false },
      { name: 'phone', kind: 'text', required: false },
      { name: 'username', kind: 'text', required: false },
    ],
    dynamicInput: 'form',
    example: { email: 'ada@example.org', username: 'ada', phone: '+4915112345678' },
    answers: { ...SIGN_IN_ATTEMPT, ...FORBIDDEN, ...CONFLICT },
  },
})
