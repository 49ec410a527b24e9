export { appClient, type AppClient, type AppClientOptions } from './app-client.ts'
export type { TokenName, TokenStorage } from './app-tokens.ts'
export type { Authentication, AuthenticationListener } from './authentication.ts'
export { browserClient, type BrowserClient, type BrowserClientOptions } from './browser-client.ts'
export { ClientError } from './transport.ts'
export type {
  Answer,
  ClientName,
  ErrorCode,
  Gone,
  OperationInputs,
  OperationName,
  Operations,
  TooManyRequests,
} from './operations.ts'
export {
  createPasskey,
  type CredentialJson,
  type CredentialOptions,
  getPasskey,
  type GetPasskeyOptions,
} from './passkeys.ts'
export { type ProviderRedirect, redirectToProvider } from './browser-client.ts'
export type { Fetch } from './transport.ts'
export type {
  ApiError,
  ApiUser,
  AuthenticationMethod,
  Authenticator,
  EmailAddress,
  Flow,
  Provider,
  ProviderAccount,
  Session,
} from '../description/types.ts'
