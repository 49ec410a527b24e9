import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import style from './channel.module.css'
import type { Channel } from './standing.ts'
import { stateTexts } from './state-texts.ts'
import { channelTexts } from './texts.ts'
import { useFormat } from '../../language/format.ts'
import { useTexts } from '../../language/texts.ts'
import { Button } from '../../parts/button.tsx'
import { Card, Facts } from '../../parts/layout.tsx'
import { Clock } from '../../parts/time.tsx'

/** The card of queued and failed messages and rate limits. */
export function Sending({ channel }: { readonly channel: Channel }): ReactNode {
  const texts = useTexts(channelTexts)
  const format = useFormat()
  const { send_budget: budget, queued, dead } = channel
  return (
    <Card title={texts.sending}>
      <Facts
        facts={[
          [texts.queued, format.number(queued)],
          [
            texts.dead,
            <span key="dead">
              {format.number(dead)} {dead > 0 && <Link to="/failed">{texts.seeFailed}</Link>}
            </span>,
          ],
          [texts.budget, budget === null ? null : format.number(Math.max(0, Math.floor(budget.available)))],
          [texts.pausedUntil, budget?.paused_until ? <Clock key="paused" at={budget.paused_until} /> : null],
        ]}
      />
      {budget !== null && (
        <p className="soft">{texts.perSecond(format.number(Math.round(budget.per_second * 10) / 10))}</p>
      )}
    </Card>
  )
}

const SHOWN = 5

/** The card of periods in which messages may have been lost. */
export function Gaps({ channel: { platform, gaps } }: { readonly channel: Channel }): ReactNode {
  const texts = useTexts(channelTexts)
  const format = useFormat()
  const state = useTexts(stateTexts)
  const [all, setAll] = useState(false)
  if (gaps.length === 0) return null
  return (
    <Card title={texts.gaps}>
      <p className="soft">
        {texts.gapsLead} {texts.keeps[platform]}
      </p>
      <ul className={style['gaps']}>
        {gaps.slice(0, all ? gaps.length : SHOWN).map(({ from, to, why }) => (
          <li key={`${from} ${to} ${why}`}>
            <span>
              <Clock at={from} /> – <Clock at={to} />{' '}
              <span className="soft">({format.span(Math.max(0, to - from))})</span>
            </span>
            <details className="soft">
              <summary>{state.platformSays}</summary>
              <p lang="en">{why}</p>
            </details>
          </li>
        ))}
      </ul>
      {!all && gaps.length > SHOWN && (
        <div>
          <Button small onClick={() => setAll(true)}>
            {texts.moreGaps(gaps.length - SHOWN)}
          </Button>
        </div>
      )}
    </Card>
  )
}
