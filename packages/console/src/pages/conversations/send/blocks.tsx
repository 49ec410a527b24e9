import type { ReactNode } from 'react'
import style from './preview.module.css'
import type { ShownBlock } from '../../../api/gateway-api.ts'

type Span = NonNullable<ShownBlock['spans']>[number]

/** What people see of a text, as the service says it: only text, never markup. */
export const Blocks = ({ blocks }: { readonly blocks: readonly ShownBlock[] }): ReactNode => (
  <div className={style['blocks']} dir="auto">
    {inLists(blocks).map((one, place) =>
      Array.isArray(one) ? <Items key={place} items={one} /> : <Block key={place} block={one} />,
    )}
  </div>
)

/** Items that stand below one another are one list. */
function inLists(blocks: readonly ShownBlock[]): readonly (ShownBlock | ShownBlock[])[] {
  const shown: (ShownBlock | ShownBlock[])[] = []
  for (const block of blocks) {
    const last = shown.at(-1)
    if (block.type !== 'item') shown.push(block)
    else if (Array.isArray(last)) last.push(block)
    else shown.push([block])
  }
  return shown
}

const Items = ({ items }: { readonly items: readonly ShownBlock[] }): ReactNode => (
  <ul>
    {items.map(({ level = 0, marker = '•', spans }, place) => (
      <li key={place} style={{ marginInlineStart: `${Math.min(level, 8) * 1.25}rem` }}>
        <span className={style['marker']}>{marker}</span>
        <span>
          <Spans spans={spans} />
        </span>
      </li>
    ))}
  </ul>
)

function Block({ block: { type, language, spans, rows } }: { readonly block: ShownBlock }): ReactNode {
  switch (type) {
    case 'heading':
      return (
        <p className={style['heading']}>
          <Spans spans={spans} />
        </p>
      )
    case 'quote':
      return (
        <blockquote>
          <Spans spans={spans} />
        </blockquote>
      )
    case 'code':
      return (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls is scrolled by the keyboard too
        <pre tabIndex={0} dir="ltr">
          {language !== undefined && <span className={style['language']}>{language}</span>}
          <code>{spans?.map(({ text }) => text).join('')}</code>
        </pre>
      )
    case 'rule':
      return <hr />
    case 'table':
      return <Rows rows={rows ?? []} />
    case 'paragraph':
    case 'item':
    default:
      // a kind of a newer service is at least its text
      return (
        <p>
          <Spans spans={spans} />
        </p>
      )
  }
}

function Rows({ rows: [head = [], ...rows] }: { readonly rows: NonNullable<ShownBlock['rows']> }): ReactNode {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls is scrolled by the keyboard too
    <div className={style['table']} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((cell, place) => (
              <th key={place} scope="col">
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, line) => (
            <tr key={line}>
              {row.map((cell, place) => (
                <td key={place}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const Spans = ({ spans = [] }: { readonly spans?: readonly Span[] | undefined }): ReactNode =>
  spans.map((span, place) => <SpanText key={place} span={span} />)

function SpanText({ span: { text, bold, italic, strike, code, href } }: { readonly span: Span }): ReactNode {
  let shown: ReactNode = text
  if (code) shown = <code>{shown}</code>
  if (strike) shown = <s>{shown}</s>
  if (italic) shown = <em>{shown}</em>
  if (bold) shown = <strong>{shown}</strong>
  if (href === undefined || !/^(?:https?:|mailto:)/i.test(href)) return shown
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {shown}
    </a>
  )
}
