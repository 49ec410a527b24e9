import type { Context } from 'liquidjs'
import { escapeHtml, Markup, toText } from './markup.ts'
import { callHost, stateOf } from './render-state.ts'

/** A tag that asks the page's functions, and writes the answer or keeps it in a variable. */
export interface HostValue {
  /** How many values it takes without a name: 0 or 1. */
  readonly positional: 0 | 1
  read(ctx: Context, subject: unknown, named: Readonly<Record<string, unknown>>, toVariable: boolean): unknown
}

/** The hidden field of a form. */
const hiddenInput = (name: string, value: string): Markup =>
  new Markup(`<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`)

/** Everything but the variables that are empty: a dropped argument is as one that was not given. */
const given = (named: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(named)
      .map(([name, value]): [string, string] => [name, toText(value)])
      .filter(([, value]) => value !== ''),
  )

/** By the names of the tags; see the package's `templates/README.md`. */
export const hostValues: Readonly<Record<string, HostValue>> = {
  url: {
    positional: 1,
    read(ctx, name, params, toVariable) {
      const page = toText(name)
      const { functions } = stateOf(ctx)
      if (toVariable && functions.has('has') && callHost(ctx, 'has', page) !== true) return ''
      return callHost(ctx, 'url', page, given(params))
    },
  },
  asset: { positional: 1, read: (ctx, file) => callHost(ctx, 'asset', toText(file)) },
  csrf_token: {
    positional: 0,
    read(ctx) {
      const { functions, values } = stateOf(ctx)
      const token = functions.has('csrf_token') ? callHost(ctx, 'csrf_token') : values['csrf_token']
      if (typeof token !== 'string' || token === '') throw new Error('The page has been given no CSRF token.')
      return hiddenInput('csrfmiddlewaretoken', token)
    },
  },
  redirect_field: { positional: 0, read: (ctx) => redirectField(stateOf(ctx).values) },
  user_display: {
    positional: 1,
    read: (ctx, user) =>
      stateOf(ctx).functions.has('user_display') ? callHost(ctx, 'user_display', user) : nameOf(user),
  },
  user_verified: { positional: 1, read: (ctx, user) => (user ? callHost(ctx, 'user_verified', user) : false) },
  provider_login_url: {
    positional: 1,
    read: (ctx, provider, named) => optional(ctx, 'provider_login_url', '', provider, loginArguments(ctx, named)),
  },
  socialaccount_providers: { positional: 0, read: providers },
  get_providers: { positional: 0, read: providers },
  get_social_accounts: { positional: 1, read: (ctx, user) => optional(ctx, 'get_social_accounts', {}, user) },
  providers_media_js: { positional: 0, read: (ctx) => optional(ctx, 'providers_media_js', '') },
}

/** The hidden field that passes `next` on; nothing when there is none. */
export function redirectField(values: Readonly<Record<string, unknown>>): Markup | '' {
  const value = toText(values['redirect_field_value'])
  return value === '' ? '' : hiddenInput(toText(values['redirect_field_name']) || 'next', value)
}

/** A missing `next` is that of the page; `process="redirect"` leads back to the page itself. */
function loginArguments(ctx: Context, named: Readonly<Record<string, unknown>>): Record<string, string> {
  const { values } = stateOf(ctx)
  const args = given(named)
  const request = values['request']
  const path = typeof request === 'object' && request !== null && 'path' in request ? toText(request.path) : ''
  const next = args['next'] ?? (args['process'] === 'redirect' ? path : toText(values['redirect_field_value']))
  const { next: _given, ...rest } = args
  return next === '' ? rest : { ...rest, next }
}

function providers(ctx: Context): unknown {
  return optional(ctx, 'get_providers', [])
}

function optional(ctx: Context, name: string, otherwise: unknown, ...args: readonly unknown[]): unknown {
  return stateOf(ctx).functions.has(name) ? callHost(ctx, name, ...args) : otherwise
}

function nameOf(user: unknown): string {
  if (typeof user !== 'object' || user === null) return ''
  if ('username' in user && user.username !== '') return toText(user.username)
  return 'email' in user ? toText(user.email) : ''
}
