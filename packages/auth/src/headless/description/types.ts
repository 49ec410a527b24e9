import type { z } from 'zod'
import type { PARTS, SHAPES } from './shapes.ts'

/** Every answer of the JSON API, its envelope included, by the name of its schema. */
export type Shapes = { readonly [Name in keyof typeof SHAPES]: z.infer<(typeof SHAPES)[Name]> }

type Part<Name extends keyof typeof PARTS> = z.infer<(typeof PARTS)[Name]>

/** A user as the API shows it. */
export type ApiUser = Part<'User'>
/** How a user authenticated. */
export type AuthenticationMethod = Part<'AuthenticationMethod'>
/** A step that a visitor may or must take. */
export type Flow = Part<'Flow'>
/** A provider to sign in with. */
export type Provider = Part<'Provider'>
/** One thing that is wrong with what was sent. */
export type ApiError = Part<'Error'>
/** An address of a user. */
export type EmailAddress = Part<'EmailAddress'>
/** Where a user is signed in. */
export type Session = Part<'Session'>
/** A second factor of a user. */
export type Authenticator = Part<'Authenticator'>
/** An account at a provider. */
export type ProviderAccount = Part<'ProviderAccount'>
