// Types of the JSON API for hosts: its hooks, access tokens, and guards.
export type { ApiUser, HeadlessAdapter, HeadlessAdapterInput } from './headless.ts'
export type { ApiGuards } from './api-guards.ts'
export type { AccessTokens, TokenStrategy } from './tokens/strategy.ts'
