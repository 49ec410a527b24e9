import { z } from 'zod'
import type { CredentialSchema } from '../../platform.ts'

/** Credentials of a DingTalk app. */
export interface DingtalkCredentials {
  /** Client ID of the app, also called AppKey. */
  readonly client_id: string
  /** Client Secret of the app, also called AppSecret. */
  readonly client_secret: string
}

/** No format is documented; this rejects spaces and quotes from bad copies. */
const ID = /^[\w.-]+$/
const SECRET = /^[!#-&(-~]+$/

const value = (name: string, label: string, form: RegExp): z.ZodType<string> =>
  z
    .string({ error: `${name} must be a string: the ${label} of the app.` })
    .trim()
    .min(1, { error: `${name} is empty. Copy the ${label} of the app.` })
    .max(200, { error: `${name} is too long to be a ${label}.` })
    .regex(form, {
      error: `${name} contains characters that no ${label} has. Copy it again, without quotes or spaces.`,
    })

/** Schema of DingTalk credentials. */
export const dingtalkCredentials: CredentialSchema<DingtalkCredentials> = {
  schema: z
    .strictObject({
      client_id: value('client_id', 'Client ID', ID),
      client_secret: value('client_secret', 'Client Secret', SECRET),
    })
    .refine(({ client_id, client_secret }) => !isSwapped(client_id, client_secret), {
      error: 'client_id and client_secret look swapped. The Client ID starts with "ding".',
      path: ['client_id'],
    }),
  secrets: ['client_secret'],
  bound: ['client_id'],
}

const isSwapped = (id: string, secret: string): boolean =>
  /^ding[a-z0-9]{8,32}$/.test(secret) && !id.startsWith('ding') && id.length > secret.length

/** Returns the bot's id: the Client ID of its app. */
export const dingtalkIdentity = (credentials: DingtalkCredentials): string => credentials.client_id

/** Returns the platform's own fields of a channel entry. */
export const describeDingtalk = (credentials: DingtalkCredentials | null): Readonly<Record<string, unknown>> => ({
  client_id: credentials?.client_id ?? '',
})
