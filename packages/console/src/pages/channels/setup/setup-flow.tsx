import { type ReactNode, useState } from 'react'
import { SetupRun } from './setup-run-view.tsx'
import style from './setup.module.css'
import type { SetupKind, SetupMethod } from './setup-run.ts'
import { setupTexts } from './texts.ts'
import { INSTRUCTIONS } from './way-words.ts'
import { useCall } from '../../../api/queries.ts'
import { useLanguage } from '../../../language/language.ts'
import { useTexts } from '../../../language/texts.ts'
import type { Platform } from '../../../parts/platform.tsx'
import { RadioCards } from '../../../parts/radios.tsx'
import { Loaded } from '../../../parts/states.tsx'

interface FlowProps {
  readonly platform: Platform
  /** The method to start with; by default the easiest. */
  readonly wanted?: string | null
  /** Shown after a successful setup. */
  readonly next?: ReactNode
}

/** The setup of a platform, with a choice of methods. */
export function SetupFlow({ platform, wanted = null, next }: FlowProps): ReactNode {
  const ways = useCall('listSetupWays', { params: { platform } })
  const [chosen, setChosen] = useState<SetupKind | null>(null)
  const [attempt, setAttempt] = useState(0)
  return (
    <Loaded of={ways} lines={6}>
      {({ ways: all }) => {
        const easy = all.filter(({ kind }) => kind !== 'invite' || kind === wanted)
        const way =
          easy.find(({ kind }) => kind === chosen) ?? easy.find(({ kind }) => kind === wanted) ?? easy[0] ?? all[0]
        if (way === undefined) return null
        return (
          <div className={style['flow']} data-platform={platform}>
            {easy.length > 1 && wanted !== 'invite' && (
              <MethodChoice platform={platform} ways={easy} chosen={way.kind} onChoose={setChosen} />
            )}
            <SetupRun
              key={`${way.kind} ${attempt}`}
              platform={platform}
              way={way}
              next={next}
              onAgain={() => setAttempt((before) => before + 1)}
            />
          </div>
        )
      }}
    </Loaded>
  )
}

interface ChoiceProps {
  readonly platform: Platform
  readonly ways: readonly SetupMethod[]
  readonly chosen: SetupKind
  onChoose(kind: SetupKind): void
}

function MethodChoice({ platform, ways, chosen, onChoose }: ChoiceProps): ReactNode {
  const texts = useTexts(setupTexts)
  const { language } = useLanguage()
  return (
    <RadioCards
      label={texts.ways}
      hideLabel
      value={chosen}
      options={ways.map(({ kind, title }) => {
        const words = INSTRUCTIONS[`${platform}.${kind}`]
        return { value: kind, title: words?.title[language] ?? title, ...(words && { hint: words.hint[language] }) }
      })}
      onChange={onChoose}
    />
  )
}
