import { signedIn } from '../../account/signed-in.ts'
import type { Core } from '../../core.ts'
import { InvalidInput } from '../../errors.ts'
import type { Visit } from '../../kernel/visit.ts'
import { type ApiAnswer, type ApiModule, type ApiResource, operation } from '../endpoint.ts'
import { providerAccountData } from './provider-data.ts'
import { redirectToProvider } from './provider-redirect.ts'
import { PROVIDER_SIGNUP } from './provider-signup.ts'
import { loginByToken } from './provider-token.ts'

/** Accounts at identity providers. */
export const providersResources: ApiModule = (core) =>
  core.settings.socialaccount.enabled ? [ACCOUNTS, PROVIDER_SIGNUP, REDIRECT, TOKEN] : []

const ACCOUNTS: ApiResource = {
  path: 'account/providers',
  tag: 'Account: providers',
  access: 'auth',
  operations: {
    GET: operation({
      summary: 'Your accounts at providers',
      answers: { 200: 'ProviderAccounts' },
      handle: ({ core, request }) => list(core, request),
    }),
    DELETE: operation({
      summary: 'Disconnect an account at a provider',
      input: [
        { name: 'provider', kind: 'text', required: true },
        { name: 'account', kind: 'text', required: true, about: '`uid` of the list.' },
      ],
      answers: { 200: 'ProviderAccounts' },
      async handle({ core, request }, { provider, account: uid }) {
        const user = signedIn(request)
        const own = await core.social.connections(request, user)
        const account = own.find((one) => one.provider === provider && one.uid === uid)
        if (account === undefined || account.id === null) {
          throw new InvalidInput([core.adapter.validationError('account_not_found')])
        }
        await core.social.disconnect(request, user, account.id)
        return list(core, request)
      },
    }),
  },
}

async function list(core: Core, request: Visit): Promise<ApiAnswer> {
  const accounts = await core.social.connections(request, signedIn(request))
  return {
    kind: 'data',
    data: await Promise.all(accounts.map((account) => providerAccountData(core, request, account))),
  }
}

const REDIRECT: ApiResource = {
  path: 'auth/provider/redirect',
  tag: 'Authentication: providers',
  access: 'anon',
  limit: { action: 'provider_login', per: 'ip' },
  takesForm: true,
  operations: {
    POST: operation({
      summary: 'Sends the browser to a provider; a form, not JSON',
      answers: {},
      ignoresBody: true,
      handle: ({ core, request }) => redirectToProvider(core, request),
    }),
  },
}

const TOKEN: ApiResource = {
  path: 'auth/provider/token',
  tag: 'Authentication: providers',
  access: 'anon',
  limit: { action: 'provider_token', per: 'ip' },
  operations: {
    POST: operation({
      summary: 'Signs in with a token of a provider, or connects an account',
      input: [
        { name: 'provider', kind: 'text', required: true },
        { name: 'process', kind: 'text', required: true, about: '`login` or `connect`.' },
        { name: 'token', kind: 'object', required: true, about: '`client_id`, and `id_token` or `access_token`.' },
      ],
      answers: { 200: 'Authenticated', 401: 'AuthenticationFlows', 403: 'Status' },
      handle: ({ core, request }, input) => loginByToken(core, request, input),
    }),
  },
}
