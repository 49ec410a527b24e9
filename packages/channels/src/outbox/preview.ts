import type { PreviewPart } from '../markdown/shown.ts'
import { shownBlocks } from '../markdown/shown-blocks.ts'
import { sizeOf } from '../markdown/size.ts'
import { type Renders, renderParts } from './plan.ts'

/** What the platform will show of this Markdown: the messages that the outbox would send. */
export function previewOf(message: string, platform: Renders): readonly PreviewPart[] {
  const { dialect, limits } = platform
  const { unit } = limits.text
  const { parts, max } = renderParts(message, platform, { withRuns: true })
  return parts.map(({ body, runs = [] }) => ({
    markup: body,
    size: sizeOf(dialect.measures === 'rendered' ? body : runs.map(({ text }) => text).join(''), unit),
    limit: max,
    unit,
    blocks: shownBlocks(runs, dialect),
  }))
}
