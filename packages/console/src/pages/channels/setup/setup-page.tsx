import { useParams, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { SetupFlow } from './setup-flow.tsx'
import { setupTexts } from './texts.ts'
import { useCall } from '../../../api/queries.ts'
import { NotFound } from '../../../frame/status-pages.tsx'
import { useTexts } from '../../../language/language.ts'
import { Page as Sheet } from '../../../parts/layout.tsx'
import { isPlatform, type Platform, platformTexts } from '../../../parts/platform.tsx'

/** The setup page of a platform. `?kind=invite` selects a method. */
export function Page(): ReactNode {
  const { platform = '' } = useParams({ strict: false })
  return isPlatform(platform) ? <SetupView key={platform} platform={platform} /> : <NotFound />
}

function SetupView({ platform }: { readonly platform: Platform }): ReactNode {
  const texts = useTexts(setupTexts)
  const name = useTexts(platformTexts)[platform]
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false })
  const channels = useCall('listChannels', {})
  const isConnected = channels.data?.channels.some((one) => one.platform === platform && one.has_config)
  /** Whether it was connected when the page opened. */
  const [wasConnected, setWasConnected] = useState(isConnected)
  if (wasConnected === undefined && isConnected !== undefined) setWasConnected(isConnected)
  const kind = typeof search['kind'] === 'string' ? search['kind'] : null
  return (
    <Sheet
      title={texts.title(name)}
      back={{ to: '/channels', label: texts.back }}
      {...(wasConnected === true && kind !== 'invite' && { lead: texts.leadAgain })}
    >
      <SetupFlow platform={platform} wanted={kind} />
    </Sheet>
  )
}
