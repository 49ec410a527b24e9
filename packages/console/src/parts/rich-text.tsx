import type { ReactNode } from 'react'
import style from './rich-text.module.css'
import type { DemoBlock, ShownBlock } from '../api/gateway-api.ts'

type Span = NonNullable<ShownBlock['spans']>[number]

const SAFE_HREF = /^(?:https?|mailto):/i

/** Shows formatted text as on a platform. @param end Appended to the last character. */
export const RichText = ({
  blocks,
  end,
}: {
  readonly blocks: readonly DemoBlock[]
  readonly end?: ReactNode
}): ReactNode => (
  <div className={style['text']} dir="auto">
    {blocks.map((block, index) => (
      // oxlint-disable-next-line react/no-array-index-key -- text only grows at its end
      <Block key={index} block={block} end={index === blocks.length - 1 ? end : null} />
    ))}
    {blocks.length === 0 && end}
  </div>
)

function Block({ block, end }: { readonly block: DemoBlock; readonly end: ReactNode }): ReactNode {
  if (block.type === 'table')
    return (
      <>
        <Table rows={block.rows ?? []} />
        {end}
      </>
    )
  const { type, level = 0, marker = '•', language, spans = [] } = block
  const words = (
    <>
      <Spans spans={spans} />
      {end}
    </>
  )
  switch (type) {
    case 'heading':
      return <p className={style['heading']}>{words}</p>
    case 'quote':
      return <blockquote>{words}</blockquote>
    case 'rule':
      return <hr />
    case 'code':
      return (
        <pre dir="ltr">
          {language !== undefined && <span className={style['language']}>{language}</span>}
          {words}
        </pre>
      )
    case 'item':
      return (
        <p className={style['item']} data-level={Math.min(level, 3)}>
          <span className={style['marker']}>{marker}</span>
          <span>{words}</span>
        </p>
      )
    case 'paragraph':
    default:
      // from a newer service: show its text
      return <p>{words}</p>
  }
}

const Table = ({ rows: [head = [], ...rows] }: { readonly rows: readonly (readonly string[])[] }): ReactNode => (
  <table className={style['table']}>
    <thead>
      <tr>
        {head.map((cell, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- cells are identified by position
          <th key={index} scope="col">
            {cell}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((cells, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- cells are identified by position
        <tr key={index}>
          {cells.map((cell, place) => (
            // oxlint-disable-next-line react/no-array-index-key -- cells are identified by position
            <td key={place}>{cell}</td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
)

const Spans = ({ spans }: { readonly spans: readonly Span[] }): ReactNode =>
  // oxlint-disable-next-line react/no-array-index-key -- text only grows at its end
  spans.map((span, index) => <StyledSpan key={index} span={span} />)

function StyledSpan({ span: { text, bold, italic, strike, code, href } }: { readonly span: Span }): ReactNode {
  let words: ReactNode = text
  if (code) words = <code>{words}</code>
  if (strike) words = <s>{words}</s>
  if (italic) words = <em>{words}</em>
  if (bold) words = <strong>{words}</strong>
  if (href === undefined || !SAFE_HREF.test(href)) return words
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {words}
    </a>
  )
}
