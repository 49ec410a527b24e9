import { PLATFORM_IDS } from '../platform-names.ts'
import type { SetupField } from '../setup/guide.ts'
import type { SetupView, SetupWay } from '../setup/view.ts'
import { z } from 'zod'

const kind = z.enum(['qr', 'paste', 'portal', 'invite'])
const instructions = z.array(z.string()).describe('What the person does, in order')

const field: z.ZodType<SetupField> = z.strictObject({
  name: z.string(),
  label: z.string(),
  secret: z.boolean().describe('Its value must not be shown while it is typed'),
})

export const setupWay: z.ZodType<SetupWay> = z
  .strictObject({ kind, title: z.string(), instructions })
  .meta({ id: 'SetupWay', description: 'One way to set a platform up' })

export const setupView: z.ZodType<SetupView> = z
  .strictObject({
    id: z.string(),
    platform: z.enum(PLATFORM_IDS),
    kind,
    title: z.string(),
    instructions,
    state: z.enum(['starting', 'waiting', 'scanned', 'input_needed', 'working', 'watching', 'done', 'failed']),
    version: z.number().int().describe('Rises with every change'),
    message: z.string().describe('Where the person stands, as a sentence'),
    url: z.exactOptional(z.string().describe('What to scan or open')),
    qr: z.exactOptional(z.string().describe('`url` as a QR code: an SVG document')),
    codes: z.number().int().describe('How many codes to scan have been shown so far: above 1, the first has expired'),
    started_at: z.number().int().describe('When it was begun, milliseconds since the Unix epoch'),
    expires_at: z
      .number()
      .int()
      .nullable()
      .describe('When `url` ends to be valid, milliseconds since the Unix epoch; null when nobody knows'),
    fields: z.array(field).describe('What is asked for, while `input_needed`'),
    facts: z.record(z.string(), z.union([z.string(), z.number()])).describe('What was found, for programs'),
    saved: z.boolean().describe('Credentials have been saved'),
    first_user: z
      .strictObject({ id: z.string(), name: z.string().nullable() })
      .nullable()
      .describe('Who confirmed it, where the platform tells: the first of `allowed_users` if nobody stood there'),
    error: z.string().nullable().describe('Stable code of why it failed'),
  })
  .meta({ id: 'Setup', description: 'A guided set-up' })
