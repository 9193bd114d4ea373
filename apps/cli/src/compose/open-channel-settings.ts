/** The channels of this installation: the file that sets them up, read once per approver. */
import { loadChannels, type LoadedChannels } from '../channels/load-channels.js';
import { channelVariables, type CliEnv } from '../env.js';
import { homeLayout } from '../home/layout.js';
import { PartMissing } from './part-missing.js';

/** Throws PartMissing with one line for each thing that is wrong. No file, and none named: no channels. */
export async function openChannelSettings({ channelsFile, home }: CliEnv): Promise<LoadedChannels> {
  const path = channelsFile ?? homeLayout(home).channels;
  const result = await loadChannels(path, channelVariables(), { named: channelsFile !== null });
  if (!result.ok) throw new PartMissing(result.problems.join('\n'));
  return result.loaded;
}
