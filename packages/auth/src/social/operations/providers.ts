import type { Social } from '../social-accounts.ts'
import { signedIn } from '../../account/signed-in.ts'
import { InvalidInput } from '../../errors.ts'
import type { Visit } from '../../kernel/visit.ts'
import { type ApiAnswer, type ApiResource, operation } from '../../kernel/operations/operation.ts'
import { providerAccountData } from './provider-data.ts'
import { redirectToProvider } from './provider-redirect.ts'
import { providerSignupResource } from './provider-signup.ts'
import { loginByToken } from './provider-token.ts'

/** Accounts at identity providers. */
export const providersResources = (social: Social): readonly ApiResource[] =>
  social.kernel.settings.socialaccount.enabled
    ? [accountsResource(social), providerSignupResource(social), redirectResource(social), tokenResource(social)]
    : []

const accountsResource = (social: Social): ApiResource => ({
  path: 'account/providers',
  tag: 'Account: providers',
  access: 'auth',
  operations: {
    GET: operation({
      summary: 'Your accounts at providers',
      answers: { 200: 'ProviderAccounts' },
      handle: (visit) => list(social, visit),
    }),
    DELETE: operation({
      summary: 'Disconnect an account at a provider',
      input: [
        { name: 'provider', kind: 'text', required: true },
        { name: 'account', kind: 'text', required: true, about: '`uid` of the list.' },
      ],
      answers: { 200: 'ProviderAccounts' },
      async handle(visit, { provider, account: uid }) {
        const user = signedIn(visit)
        const own = await social.connections(visit, user)
        const account = own.find((one) => one.provider === provider && one.uid === uid)
        if (account === undefined || account.id === null) {
          throw new InvalidInput([social.account.adapter.validationError('account_not_found')])
        }
        await social.disconnect(visit, user, account.id)
        return list(social, visit)
      },
    }),
  },
})

async function list(social: Social, request: Visit): Promise<ApiAnswer> {
  const accounts = await social.connections(request, signedIn(request))
  return {
    kind: 'data',
    data: await Promise.all(accounts.map((account) => providerAccountData(social, request, account))),
  }
}

const redirectResource = (social: Social): ApiResource => ({
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
      handle: (visit) => redirectToProvider(social, visit),
    }),
  },
})

const tokenResource = (social: Social): ApiResource => ({
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
      handle: (visit, input) => loginByToken(social, visit, input),
    }),
  },
})
