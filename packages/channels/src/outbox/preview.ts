import type { PreviewPart } from '../markdown/shown.ts'
import { sizeOf } from '../markdown/size.ts'
import { type Renders, renderText } from './plan.ts'

/** What the platform will show of this Markdown: the messages that the outbox would send. */
export function previewOf(message: string, platform: Renders): readonly PreviewPart[] {
  const { max, unit } = platform.limits.text
  return renderText(message, platform).flatMap((content) =>
    content.kind === 'text'
      ? [
          {
            markup: content.body,
            size: sizeOf(content.body, unit),
            limit: max,
            unit,
            blocks: [{ type: 'paragraph', spans: [{ text: content.plain }] }],
          },
        ]
      : [],
  )
}
