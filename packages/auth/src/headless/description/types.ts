import type { z } from 'zod'
import type { PARTS, SHAPES } from './shapes.ts'

/** The responses of the JSON API, including the envelope, by schema name. */
export type Shapes = { readonly [Name in keyof typeof SHAPES]: z.infer<(typeof SHAPES)[Name]> }

type Part<Name extends keyof typeof PARTS> = z.infer<(typeof PARTS)[Name]>

/** A user in the JSON API. */
export type ApiUser = Part<'User'>
/** How a user authenticated. */
export type AuthenticationMethod = Part<'AuthenticationMethod'>
/** A step that the visitor can or must take. */
export type Flow = Part<'Flow'>
/** A provider to sign in with. */
export type Provider = Part<'Provider'>
/** An error in the input. */
export type ApiError = Part<'Error'>
/** A user's email address. */
export type EmailAddress = Part<'EmailAddress'>
/** A session of the user. */
export type Session = Part<'Session'>
/** A second factor of the user. */
export type Authenticator = Part<'Authenticator'>
/** An account at a provider. */
export type ProviderAccount = Part<'ProviderAccount'>
