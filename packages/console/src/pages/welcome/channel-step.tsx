import { type ReactNode, useState } from 'react'
import { welcomeTexts } from './texts.ts'
import { PlatformChoice } from '../channels/first-channel.tsx'
import { SetupFlow } from '../channels/setup/setup-flow.tsx'
import { useTexts } from '../../language/texts.ts'
import { Button } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { type Platform, platformTexts } from '../../parts/platform.tsx'

/** The step to choose and set up a platform. */
export function ChannelStep({ onBegin, onDone }: { onBegin(): void; onDone(): void }): ReactNode {
  const texts = useTexts(welcomeTexts)
  const names = useTexts(platformTexts)
  const [platform, setPlatform] = useState<Platform | null>(null)
  if (platform === null) {
    return (
      <>
        <p>{texts.channelLead}</p>
        <PlatformChoice
          onChoose={(chosen) => {
            onBegin()
            setPlatform(chosen)
          }}
        />
      </>
    )
  }
  return (
    <>
      <div>
        <Button kind="quiet" small onClick={() => setPlatform(null)}>
          <Icon name="back" size={16} /> {texts.chooseOther}
        </Button>
      </div>
      <h3>{names[platform]}</h3>
      <SetupFlow
        platform={platform}
        next={
          <div>
            <Button kind="primary" onClick={onDone}>
              {texts.next}
            </Button>
          </div>
        }
      />
    </>
  )
}
