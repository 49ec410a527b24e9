import { describePlatform } from '../../contract/platform.contract.ts'
import { discordHarness } from './discord.contract.ts'

describePlatform('discord', discordHarness)
