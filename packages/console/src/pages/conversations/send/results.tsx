import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import type { Result } from './broadcast.ts'
import style from './send.module.css'
import { sendTexts } from './texts.ts'
import type { Broadcast, BroadcastRun } from './use-broadcast.ts'
import { sendFailureMessage } from '../reasons.ts'
import { ApiError } from '../../../api/client.ts'
import { useLanguage, useTexts } from '../../../language/language.ts'
import { Badge, type Tone } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { Card, Row } from '../../../parts/layout.tsx'
import { PlatformMark, platformTexts } from '../../../parts/platform.tsx'
import { Failure } from '../../../parts/states.tsx'

const WAITING: Result = { state: 'waiting' }

const countResults = ({ people, results }: BroadcastRun, state: Result['state']): number =>
  people.filter(({ key }) => (results.get(key) ?? WAITING).state === state).length

const MOST_ROWS = 100

/** Returns the people to list: with many, only those that need attention. */
function visiblePeople({ people, results }: BroadcastRun): BroadcastRun['people'] {
  if (people.length <= MOST_ROWS) return people
  const needsAttention = (state: Result['state']): boolean => state !== 'waiting' && state !== 'sent'
  return people.filter(({ key }) => needsAttention((results.get(key) ?? WAITING).state)).slice(0, MOST_ROWS)
}

interface ResultsProps {
  readonly broadcast: Broadcast
  readonly run: BroadcastRun
  /** Returns to editing, with the unreached people selected. */
  onBack(): void
  /** Starts a new message. */
  onAnother(): void
}

/** The results of a message to several people, live. */
export function Results({ broadcast, run, onBack, onAnother }: ResultsProps): ReactNode {
  const texts = useTexts(sendTexts)
  const heading = useRef<HTMLDivElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const left = countResults(run, 'waiting') + countResults(run, 'sending')
  const done = run.people.length - left
  return (
    <div className={style['results']} ref={heading} tabIndex={-1}>
      <Card title={texts.results}>
        {run.people.length > 1 && (
          <div className={style['progress']}>
            <progress max={run.people.length} value={done} aria-label={texts.results} />
            <span>{texts.progress(done, run.people.length)}</span>
          </div>
        )}
        <div className={style['summary']}>
          <Summary run={run} isRunning={broadcast.isRunning} />
          {!broadcast.isRunning && countResults(run, 'failed') + countResults(run, 'unknown') > 0 && (
            <Link to="/failed">{texts.look}</Link>
          )}
        </div>
        {broadcast.error !== null && <Failure error={broadcast.error} />}
        <ul className={style['targets']}>
          {visiblePeople(run).map((person) => (
            <TargetRow key={person.key} person={person} result={run.results.get(person.key) ?? WAITING} />
          ))}
        </ul>
        <ResultActions broadcast={broadcast} run={run} onBack={onBack} onAnother={onAnother} />
      </Card>
    </div>
  )
}

/** The summary, announced when sending ends. */
function Summary({ run, isRunning }: { readonly run: BroadcastRun; readonly isRunning: boolean }): ReactNode {
  const texts = useTexts(sendTexts)
  const parts = (
    [
      ['sent', 'good', texts.sent],
      ['pending', 'warn', texts.kept],
      ['unknown', 'warn', texts.doubtful],
      ['failed', 'bad', texts.failed],
      ['waiting', 'neutral', texts.unsent],
    ] as const
  ).filter(([state]) => countResults(run, state) > 0)
  return (
    <div role="status" className={style['summary']}>
      {!isRunning &&
        parts.map(([state, tone, say]) => (
          <Badge key={state} tone={tone}>
            {say(countResults(run, state))}
          </Badge>
        ))}
    </div>
  )
}

function ResultActions({ broadcast, run, onBack, onAnother }: ResultsProps): ReactNode {
  const texts = useTexts(sendTexts)
  const { isRunning, isStopping } = broadcast
  const failed = countResults(run, 'failed')
  const waiting = countResults(run, 'waiting')
  if (isRunning) {
    return (
      <Row>
        {isStopping ? (
          <p role="status">{texts.stopping}</p>
        ) : (
          waiting > 0 && <Button onClick={broadcast.stop}>{texts.stop}</Button>
        )}
      </Row>
    )
  }
  const isComplete = failed === 0 && waiting === 0
  return (
    <Row>
      {waiting > 0 && (
        <Button kind="primary" onClick={broadcast.resume}>
          {texts.rest(waiting)}
        </Button>
      )}
      {failed > 0 && (
        <Button kind={waiting > 0 ? 'secondary' : 'primary'} onClick={broadcast.retry}>
          {texts.again(failed)}
        </Button>
      )}
      {!isComplete && <Button onClick={onBack}>{texts.back}</Button>}
      <Button kind={isComplete ? 'primary' : 'quiet'} onClick={onAnother}>
        {texts.another}
      </Button>
    </Row>
  )
}

const TONES: Readonly<Record<Result['state'], Tone>> = {
  waiting: 'neutral',
  sending: 'accent',
  sent: 'good',
  pending: 'warn',
  unknown: 'warn',
  failed: 'bad',
}

function TargetRow({
  person,
  result,
}: {
  readonly person: BroadcastRun['people'][number]
  readonly result: Result
}): ReactNode {
  const texts = useTexts(sendTexts)
  const platforms = useTexts(platformTexts)
  const { language } = useLanguage()
  const { platform, name } = person
  return (
    <li className={style['target']}>
      <PlatformMark platform={platform} small />
      <span className={style['targetName']}>
        <span dir="auto">{name}</span> <span className={style['id']}>{platforms[platform]}</span>
      </span>
      <Badge tone={TONES[result.state]}>{texts.states[result.state]}</Badge>
      {result.state === 'failed' && (
        <span className={style['why']}>
          {result.error instanceof ApiError && result.error.code === 'no_answer'
            ? texts.noAnswer
            : sendFailureMessage(result.error, language)}
        </span>
      )}
    </li>
  )
}
