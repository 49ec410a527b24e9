import { shownBlock } from '@gatepost/channels'
import { z } from 'zod'

/** What people see of a text: one block of it. Emulated platforms draw tables besides. */
export const demoBlock = z
  .union([
    shownBlock,
    z.strictObject({
      type: z.literal('table'),
      rows: z.array(z.array(z.string()).readonly()).readonly().exactOptional().describe('The head first'),
    }),
  ])
  .meta({ id: 'DemoBlock', description: 'A block of what people see of a text' })

/** As `demoBlock` describes it. */
export type DemoBlock = z.infer<typeof demoBlock>
