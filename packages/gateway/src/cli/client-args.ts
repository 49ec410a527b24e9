import type { ClientInput } from './account-api.ts'
import type { ArgSpecs } from './command.ts'
import { usageError } from './exit-code.ts'

/** What may be said of a client. Lists have commas between their parts. */
export interface ClientArgs {
  readonly redirect: string | undefined
  readonly logoutRedirect: string | undefined
  readonly scopes: string | undefined
  readonly grants: string | undefined
  readonly skipConsent: boolean | undefined
}
export const CLIENT_ARGS: ArgSpecs<ClientArgs> = {
  redirect: { kind: 'value', placeholder: 'uris', describe: 'where people come back to; with commas' },
  logoutRedirect: { kind: 'value', placeholder: 'uris', describe: 'where a sign-out that it starts may lead' },
  scopes: {
    kind: 'value',
    placeholder: 'list',
    describe: 'openid, email, profile, channels:read, channels:write, channels:send, account, admin',
  },
  grants: {
    kind: 'value',
    placeholder: 'list',
    describe: 'authorization_code, refresh_token, client_credentials, device_code',
  },
  skipConsent: {
    kind: 'switch',
    describe: 'nobody is asked: for programs of your own alone',
    describeNo: 'people are asked',
  },
}

const GRANTS: Readonly<Record<string, string>> = {
  authorization_code: 'authorization_code',
  refresh_token: 'refresh_token',
  client_credentials: 'client_credentials',
  device_code: 'urn:ietf:params:oauth:grant-type:device_code',
}

/** What was said, as the API takes it. @throws {CliError} `usage` */
export function clientInput({ redirect, logoutRedirect, scopes, grants, skipConsent }: ClientArgs): ClientInput {
  return {
    ...(redirect !== undefined && { redirect_uris: parts(redirect) }),
    ...(logoutRedirect !== undefined && { post_logout_redirect_uris: parts(logoutRedirect) }),
    ...(scopes !== undefined && { scopes: parts(scopes) }),
    ...(grants !== undefined && { grant_types: parts(grants).map(grantOf) }),
    ...(skipConsent !== undefined && { skip_consent: skipConsent }),
  }
}

const parts = (text: string): readonly string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)

function grantOf(name: string): string {
  const grant = GRANTS[name]
  if (grant === undefined) throw usageError(`--grants takes ${Object.keys(GRANTS).join(', ')}.`)
  return grant
}
