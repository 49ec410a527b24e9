import type { SocialApp } from '../apps/social-apps.ts'

/** Client ids of an app: several, separated by commas, where native apps of ours have their own (Apple, Google). */
export const parseClientIds = (app: SocialApp): readonly string[] =>
  app.clientId
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '')

/** The one that a browser is sent with: the first. */
export const primaryClientId = (app: SocialApp): string => parseClientIds(app)[0] ?? ''
