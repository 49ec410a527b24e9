import { z } from 'zod'
import type { CredentialSchema } from '../../platform.ts'

/** Credentials of a WeCom smart bot. */
export interface WecomCredentials {
  readonly bot_id: string
  readonly secret: string
}

/** Every Bot ID begins so. */
const PREFIX = 'aib'

/** What is wrong with the two values, in a sentence that begins with the field; `null`: nothing. */
function findProblem({ bot_id, secret }: WecomCredentials): { field: keyof WecomCredentials; message: string } | null {
  if (bot_id === '') return { field: 'bot_id', message: 'bot_id must not be empty.' }
  if (secret === '') return { field: 'secret', message: 'secret must not be empty.' }
  const botIdFits = bot_id.startsWith(PREFIX)
  if (!botIdFits && secret.startsWith(PREFIX))
    return { field: 'bot_id', message: 'bot_id and secret look swapped. The Bot ID starts with aib.' }
  if (!botIdFits) return { field: 'bot_id', message: 'bot_id must start with aib. Copy the Bot ID of the smart bot.' }
  if (secret.startsWith(PREFIX))
    return { field: 'secret', message: 'secret looks like a Bot ID, which starts with aib. Copy the Secret instead.' }
  if (/\s/.test(bot_id)) return { field: 'bot_id', message: 'bot_id must not contain spaces.' }
  if (/\s/.test(secret)) return { field: 'secret', message: 'secret must not contain spaces.' }
  return null
}

/** Schema of WeCom credentials. */
export const wecomCredentials: CredentialSchema<WecomCredentials> = {
  schema: z
    .strictObject({ bot_id: z.string().trim().max(200), secret: z.string().trim().max(500) })
    .superRefine((credentials, context) => {
      const problem = findProblem(credentials)
      if (problem !== null) context.addIssue({ code: 'custom', path: [problem.field], message: problem.message })
    }),
  secrets: ['secret'],
  bound: ['bot_id'],
}

/** Returns the bot's id. */
export const wecomIdentity = (credentials: WecomCredentials): string => credentials.bot_id

/** Returns the platform's own fields of a channel entry. */
export const describeWecom = (credentials: WecomCredentials | null): Readonly<Record<string, unknown>> => ({
  bot_id: credentials?.bot_id ?? '',
})
