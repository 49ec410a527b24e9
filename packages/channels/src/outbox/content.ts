import { z } from 'zod'

/** What one delivery shows, as stored with it. */
export type DeliveryContent =
  | {
      readonly kind: 'text'
      /** In the platform's dialect. */
      readonly body: string
      /** The same without markup: sent when the platform refuses the markup, shown in lists. */
      readonly plain: string
      /** The platform refused `body`. */
      readonly usePlain?: boolean | undefined
      /** An unfinished form of it may stand in the chat; nobody knows whether, nor under which id. */
      readonly begun?: boolean | undefined
    }
  | { readonly kind: 'file'; readonly name: string; readonly mime: string; readonly path: string }

const schema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('text'),
    body: z.string(),
    plain: z.string(),
    usePlain: z.boolean().optional(),
    begun: z.boolean().optional(),
  }),
  z.object({ kind: z.literal('file'), name: z.string(), mime: z.string(), path: z.string() }),
])

/** @throws {ZodError} when the column does not hold what this version wrote. */
export const readContent = (json: string): DeliveryContent => schema.parse(JSON.parse(json))
