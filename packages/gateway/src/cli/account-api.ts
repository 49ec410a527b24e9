import { apiCall, query, segment } from './api.ts'
import type { Io } from './io.ts'

/** A token as the API tells of it. Times are milliseconds since the Unix epoch. */
export interface TokenView {
  readonly id: string
  readonly name: string
  readonly account: string
  readonly scopes: readonly string[]
  readonly created_at: number
  readonly expires_at: number | null
  readonly last_used_at: number | null
}

/** What the API is asked for when a token is made. */
export interface NewToken {
  readonly name: string
  readonly scopes?: readonly string[]
  /** Seconds; `null`: until it is revoked. */
  readonly expires_in?: number | null
}

/** An invitation that was just made. */
export interface InvitationView {
  readonly id: string
  readonly email: string | null
  readonly staff: boolean
  readonly url: string
  readonly expires_at: number
}

/** An account; `user`: whose it is; `null`: nobody has it yet, or they are gone. */
export interface AccountView {
  readonly id: string
  readonly user: {
    readonly email: string
    readonly name: string
    readonly staff: boolean
    readonly active: boolean
  } | null
}

/** A page of accounts. `next`: what the page after this one begins after. */
export interface AccountsPage {
  readonly items: readonly AccountView[]
  readonly next: string | null
}

/** A client of the service's own OpenID Connect provider. */
export interface ClientView {
  readonly id: string
  readonly name: string
  readonly type: 'confidential' | 'public'
  readonly scopes: readonly string[]
  readonly grant_types: readonly string[]
  readonly redirect_uris: readonly string[]
  readonly skip_consent: boolean
  readonly created_at: number
}

/** What is written of a client. */
export type ClientInput = Readonly<Record<string, unknown>>

/** The part of the API about people. Every call throws `CliError`. `account`: another one than the caller's. */
export interface AccountClient {
  createToken(token: NewToken, account: string | undefined): Promise<TokenView & { readonly token: string }>
  tokens(account: string | undefined): Promise<{ readonly tokens: readonly TokenView[] }>
  revokeToken(id: string, account: string | undefined): Promise<unknown>
  accounts(page: { readonly limit?: string | undefined; readonly after?: string | undefined }): Promise<AccountsPage>
  changeAccount(id: string, change: { readonly staff?: boolean; readonly active?: boolean }): Promise<AccountView>
  /** Removes the second factors. */
  resetAuthenticators(id: string): Promise<AccountView>
  clients(): Promise<{ readonly clients: readonly ClientView[] }>
  /** `secret`: this once; `null`: a public client has none. */
  createClient(input: ClientInput): Promise<ClientView & { readonly secret: string | null }>
  changeClient(id: string, changes: ClientInput): Promise<ClientView>
  renewClientSecret(id: string): Promise<{ readonly secret: string }>
  removeClient(id: string): Promise<unknown>
  invite(asked: { readonly email?: string; readonly staff: boolean }): Promise<InvitationView>
}

/** A client for the server that the arguments and the environment name. */
export async function connectAccounts(args: { readonly url?: string | undefined }, io: Io): Promise<AccountClient> {
  const { call } = await apiCall(args, io)
  const platform = ''
  return {
    createToken: (body, account) =>
      call('token', { method: 'POST', path: `/api/tokens${query({ account })}`, platform, body }),
    tokens: (account) => call('tokens', { method: 'GET', path: `/api/tokens${query({ account })}`, platform }),
    revokeToken: (id, account) =>
      call('ok', { method: 'DELETE', path: `/api/tokens/${segment(id, 'token id')}${query({ account })}`, platform }),
    accounts: (page) => call('items', { method: 'GET', path: `/api/accounts${query({ ...page })}`, platform }),
    changeAccount: (id, body) =>
      call('user', { method: 'PATCH', path: `/api/accounts/${segment(id, 'account id')}`, platform, body }),
    resetAuthenticators: (id) =>
      call('user', {
        method: 'DELETE',
        path: `/api/accounts/${segment(id, 'account id')}/authenticators`,
        platform,
      }),
    clients: () => call('clients', { method: 'GET', path: '/api/admin/clients', platform }),
    createClient: (body) => call('id', { method: 'POST', path: '/api/admin/clients', platform, body }),
    changeClient: (id, body) => call('id', { method: 'PATCH', path: clientPath(id), platform, body }),
    renewClientSecret: (id) => call('secret', { method: 'POST', path: `${clientPath(id)}/secret`, platform }),
    removeClient: (id) => call('ok', { method: 'DELETE', path: clientPath(id), platform }),
    invite: (body) => call('url', { method: 'POST', path: '/api/invitations', platform, body }),
  }
}

const clientPath = (id: string): string => `/api/admin/clients/${segment(id, 'client id')}`
