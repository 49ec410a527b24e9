import type { Dialect } from '../../markdown/dialect.ts'

/** Keeps a run of backticks from beginning a block, or from ending the one that it stands in. */
const ZERO_WIDTH_SPACE = '\u200B'
const BOLD = { open: '**', close: '**' }
const CODE = { open: '`', close: '`' }

/**
 * Weixin shows fences, inline code and bold; italics go wrong around Chinese text, deep headings and pictures are not
 * shown, and of a backslash nobody knows what it does. So only these marks are written, a heading as bold, and text is
 * left as it is.
 */
export const weixinDialect: Dialect = {
  text: (text) => text.replaceAll('```', `\`\`${ZERO_WIDTH_SPACE}\``),
  wrap(mark) {
    if (mark.type === 'bold' || mark.type === 'heading') return BOLD
    if (mark.type === 'code') return CODE
    if (mark.type === 'pre') return { open: `\`\`\`${mark.language}\n`, close: '\n```' }
    // The app makes a link of every address that it sees.
    return mark.type === 'link' && !mark.literal ? { open: '', close: ` (${mark.href})` } : null
  },
  measures: 'rendered',
}
