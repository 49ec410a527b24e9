import { AuthError, ImmediateResponse, type InputError, InvalidInput } from '../../errors.ts'
import { ownResponse } from '../../http/own-response.ts'
import { redirect } from '../../http/page-response.ts'
import { type ApiCall, type ApiModule, type ApiResource, operation } from '../endpoint.ts'

/** Accounts at identity providers, as a site has them that knows no provider. */
export const providersResources: ApiModule = (core) =>
  core.settings.socialaccount.enabled ? [ACCOUNTS, SIGNUP, REDIRECT, TOKEN] : []

const ACCOUNTS: ApiResource = {
  path: 'account/providers',
  tag: 'Account: providers',
  access: 'auth',
  operations: {
    GET: operation({
      summary: 'Your accounts at providers',
      answers: { 200: 'ProviderAccounts' },
      handle: async () => ({ kind: 'data', data: [] }),
    }),
    DELETE: operation({
      summary: 'Disconnect an account at a provider',
      input: [
        { name: 'provider', kind: 'text', required: true },
        { name: 'account', kind: 'text', required: true, about: '`uid` of the list.' },
      ],
      answers: { 200: 'ProviderAccounts' },
      async handle({ core }) {
        throw new InvalidInput([core.adapter.validationError('account_not_found')])
      },
    }),
  },
}

/** No sign-up of a provider ever waits. */
const SIGNUP: ApiResource = {
  path: 'auth/provider/signup',
  tag: 'Authentication: providers',
  access: 'anon',
  before: async () => {
    throw new AuthError('flow_wrong_stage')
  },
  operations: {
    GET: operation({
      summary: 'The sign-up that waits after a login at a provider',
      answers: { 200: 'ProviderSignup', 403: 'Status', 409: 'Status' },
      handle: async () => ({ kind: 'data' }),
    }),
    POST: operation({
      summary: 'Completes the sign-up that waits after a login at a provider',
      answers: { 200: 'Authenticated', 400: 'Errors', 401: 'AuthenticationFlows', 403: 'Status', 409: 'Status' },
      handle: async () => ({ kind: 'data' }),
    }),
  },
}

const REDIRECT: ApiResource = {
  path: 'auth/provider/redirect',
  tag: 'Authentication: providers',
  access: 'anon',
  operations: {
    POST: operation({
      summary: 'Sends the browser to a provider; a form, not JSON',
      answers: {},
      ignoresBody: true,
      async handle(call) {
        throw new ImmediateResponse(unknownProvider(call))
      },
    }),
  },
}

/** A page, as it is a browser that came; where there are no pages, the front end is told. */
function unknownProvider({ core, request }: ApiCall): Response {
  if (core.settings.headless.only) {
    const to = core.headless.adapter.getFrontendUrl(request, 'socialaccount_login_error') ?? '/'
    const url = new URL(to, request.url)
    url.searchParams.set('error', 'unknown')
    url.searchParams.set('error_process', 'login')
    return redirect(url.href)
  }
  const [title, text] = [request.t('Sign-in did not work'), request.t('Signing in with this service did not work.')]
  const html = `<!doctype html><title>${title}</title><p>${text}</p>`
  return ownResponse(html, { status: 401, headers: { 'content-type': 'text/html; charset=utf-8' } })
}

const PROCESSES: ReadonlySet<string> = new Set(['login', 'connect'])

const TOKEN: ApiResource = {
  path: 'auth/provider/token',
  tag: 'Authentication: providers',
  access: 'anon',
  operations: {
    POST: operation({
      summary: 'Signs in with a token of a provider, or connects an account',
      input: [
        { name: 'provider', kind: 'text', required: true },
        { name: 'process', kind: 'text', required: true, about: '`login` or `connect`.' },
        { name: 'token', kind: 'object', required: true, about: '`client_id`, and `id_token` or `access_token`.' },
      ],
      answers: { 200: 'Authenticated', 401: 'AuthenticationFlows', 403: 'Status' },
      async handle(call, { process, token }) {
        const wrong = (code: string, param: string): InputError => call.core.adapter.validationError(code, { param })
        const errors = PROCESSES.has(process) ? [] : [wrong('invalid_choice', 'process')]
        throw new InvalidInput([...errors, wrong(tokenProblem(token), 'token')])
      },
    }),
  },
}

/** Without providers every client id is one that nobody has. */
function tokenProblem(token: Readonly<Record<string, unknown>>): string {
  if (Object.keys(token).length === 0) return 'required'
  return typeof token['client_id'] === 'string' ? 'invalid_token' : 'client_id_required'
}
