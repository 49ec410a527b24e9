import {
  CONFLICT,
  defineOperations,
  ERRORS,
  FLOWS,
  FORBIDDEN,
  SIGN_IN_ATTEMPT,
} from '../../kernel/operations/declaration.ts'

const AUTHENTICATION = { access: 'anon', tag: 'Authentication: providers' } as const
const SIGNUP = { ...AUTHENTICATION, path: 'auth/provider/signup' } as const
const CONNECTIONS = { path: 'account/providers', access: 'auth', tag: 'Account: providers' } as const

/** The operations of social login. */
export const SOCIAL_OPERATIONS = defineOperations({
  listProviders: {
    ...CONNECTIONS,
    method: 'GET',
    summary: 'Your accounts at providers',
    answers: { 200: 'ProviderAccounts', ...FLOWS },
  },
  disconnectProvider: {
    ...CONNECTIONS,
    method: 'DELETE',
    summary: 'Disconnect an account at a provider',
    input: [
      { name: 'provider', kind: 'text', required: true },
      { name: 'account', kind: 'text', required: true, about: '`uid` of the list.' },
    ],
    example: { provider: 'github', account: '583231' },
    answers: { 200: 'ProviderAccounts', ...FLOWS, ...ERRORS },
  },
  postAuthProviderRedirect: {
    ...AUTHENTICATION,
    method: 'POST',
    path: 'auth/provider/redirect',
    summary: 'Sends the browser to a provider; a form, not JSON',
    ignoresBody: true,
    takesForm: true,
    answers: {},
  },
  loginByProviderToken: {
    ...AUTHENTICATION,
    method: 'POST',
    path: 'auth/provider/token',
    summary: 'Signs in with a token of a provider, or connects an account',
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
    summary: 'The sign-up that waits after a login at a provider',
    answers: { 200: 'ProviderSignup', ...FORBIDDEN, ...CONFLICT },
  },
  signupByProvider: {
    ...SIGNUP,
    method: 'POST',
    summary: 'Completes the sign-up that waits after a login at a provider',
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
